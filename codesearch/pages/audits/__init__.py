"""The pages of audits: what was lost, where and why, from the payload of an audit."""
