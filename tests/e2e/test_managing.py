"""What staff and users make: configs, profiles, cases, links and repositories."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.people import sign_in
from tests.terminal import Terminal

PROJECT = "https://example.org/project.git"  # Registered only: it is not fetched.


@pytest.fixture
def sam(shared_site: Terminal, page: Page) -> Page:
    return sign_in(shared_site, page, "sam")


@pytest.fixture
def troubled_sam(shared_site: Terminal, troubled_page: Page) -> Page:
    """Staff on a page where a refusal, a line of the console, is expected."""
    return sign_in(shared_site, troubled_page, "sam")


@pytest.fixture
def plain_sam(shared_site: Terminal, plain_page: Page) -> Page:
    """Staff without JavaScript."""
    return sign_in(shared_site, plain_page, "sam")


def test_a_config_is_made_chosen_said_copied_and_deleted(
    shared_site: Terminal, sam: Page
) -> None:
    sam.goto(f"{shared_site.url}configs/")
    sam.get_by_role("link", name="Make a config").click()
    sam.get_by_label("Name", exact=True).fill("words")
    sam.get_by_label("purpose", exact=True).check()
    sam.get_by_label("body", exact=True).check()
    sam.get_by_role("button", name="Save").click()
    row = sam.get_by_role("row").filter(has=sam.get_by_role("rowheader", name="words"))
    expect(row).to_contain_text("off purpose, off body")

    sam.get_by_role("link", name="Search with words").click()
    sam.get_by_role("combobox", name="Query").fill("format money")
    sam.get_by_role("combobox", name="Query").press("Enter")
    expect(sam.locator("#hit-1")).to_contain_text("format_money")
    chosen = sam.get_by_label("config", exact=True)
    expect(chosen).to_have_value("words")
    assert "config=words" in sam.url
    expect(sam.locator("#hit-1 .leg--purpose b")).to_have_count(0)
    chosen.select_option("shipped")
    expect(sam.locator("#hit-1 .leg--purpose b")).to_be_visible()
    expect(sam.get_by_role("combobox", name="Query")).to_have_value("format money")

    sam.goto(f"{shared_site.url}configs/")
    sam.get_by_role("link", name="Copy words").click()
    expect(sam.get_by_label("body", exact=True)).to_be_checked()
    sam.goto(f"{shared_site.url}configs/words/")
    sam.get_by_role("button", name="Delete words").click()
    sam.wait_for_url("**/configs/")
    expect(row).to_have_count(0)


def test_a_config_that_cannot_be_is_told_beside_its_field(
    shared_site: Terminal, troubled_sam: Page
) -> None:
    page = troubled_sam
    page.goto(f"{shared_site.url}configs/add/")
    page.get_by_label("Name", exact=True).fill("shipped")

    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("The name “shipped” is taken.")).to_be_visible()
    field = page.get_by_label("Name", exact=True)
    expect(field).to_have_value("shipped")
    expect(field).to_have_attribute("aria-invalid", "true")


def test_a_profile_is_copied_listed_and_deleted(
    shared_site: Terminal, sam: Page
) -> None:
    sam.goto(f"{shared_site.url}profiles/")
    sam.get_by_role("link", name="Copy symbol", exact=True).click()
    sam.get_by_label("Name", exact=True).fill("other")
    sam.get_by_role("button", name="Save").click()

    card = sam.get_by_role("article", name="other")
    expect(card).to_contain_text("No repository is indexed with it.")
    expect(card.get_by_label("Index with it")).to_have_value("shop")
    card.get_by_role("link", name="Change other").click()
    sam.get_by_role("button", name="Delete other").click()
    sam.wait_for_url("**/profiles/")
    expect(card).to_have_count(0)


def test_a_query_that_found_nothing_becomes_a_case_in_one_click(
    shared_site: Terminal, sam: Page
) -> None:
    query = "refund a customer path:nowhere"
    sam.goto(f"{shared_site.url}?q={query.replace(' ', '+')}")
    expect(sam.locator("#hit-1")).to_have_count(0)
    expect(sam.locator("#results")).to_contain_text("path:nowhere")

    sam.goto(f"{shared_site.url}queries/")
    row = sam.get_by_role("row").filter(has_text=query)
    row.locator("summary").click()
    row.get_by_label("It should have found").fill("Invoice.send")
    row.get_by_role("button", name="Save and trace").click()

    expect(sam.locator("#case-notice")).to_contain_text("This question is a case")
    expect(sam.locator(".verdict").first).to_contain_text("Invoice.send")
    sam.goto(f"{shared_site.url}queries/")
    sam.get_by_role("button", name="Forget all").click()
    expect(sam.get_by_text("None so far.")).to_be_visible()


def test_who_is_not_staff_is_shown_none_of_it(
    shared_site: Terminal, troubled_page: Page
) -> None:
    page = sign_in(shared_site, troubled_page, "ada")
    for address in ("queries/", "configs/add/", "profiles/add/", "repositories/add/"):
        page.goto(f"{shared_site.url}{address}")
        expect(page.get_by_role("heading", level=1)).to_have_text("Not allowed")
    page.goto(f"{shared_site.url}repositories/")
    expect(page.get_by_role("link", name="Add a repository")).to_have_count(0)


def test_links_are_listed_opened_and_revoked_by_staff(
    shared_site: Terminal, sam: Page
) -> None:
    sam.goto(f"{shared_site.url}?q=send+a+bill")
    sam.locator("#share-search > summary").click()
    sam.get_by_role("button", name="Make a link").click()
    expect(sam.get_by_label("The link", exact=True)).to_be_visible()

    sam.get_by_role("link", name="Links", exact=True).click()
    row = sam.get_by_role("row").filter(has_text="send a bill")
    expect(row).to_contain_text("sam")
    expect(row).to_contain_text("open")
    row.get_by_role("link", name="send a bill").click()
    expect(sam.get_by_role("heading", level=1)).to_have_text("send a bill")
    sam.go_back()
    row.locator("summary").click()
    row.get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("closed")


def test_a_repository_is_added_renamed_and_removed_without_a_script(
    shared_site: Terminal, plain_sam: Page
) -> None:
    page = plain_sam
    page.goto(f"{shared_site.url}repositories/")
    page.get_by_role("link", name="Add a repository").click()
    page.get_by_label("Name", exact=True).fill("a/b")
    page.get_by_label("URL or folder").fill("https://user:tok3n@example.org/x.git")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Use letters, digits, dots")).to_be_visible()
    expect(page.get_by_text("Leave the user name, password")).to_be_visible()
    assert "tok3n" not in page.content()

    page.get_by_label("Name", exact=True).fill("project")
    page.get_by_label("URL or folder").fill(PROJECT)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("project")

    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Name", exact=True).fill("renamed")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The settings of renamed were saved.")).to_be_visible()
    page.goto(f"{shared_site.url}r/project/")
    assert page.url.endswith("/r/renamed/")

    page.get_by_role("link", name="Remove").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Remove renamed?")
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Remove renamed").click()
    expect(page.get_by_text("renamed was removed.")).to_be_visible()
    expect(page.get_by_role("article", name="shop")).to_be_visible()


def test_a_case_is_saved_from_a_trace_and_typed_into_its_set_without_a_script(
    shared_site: Terminal, plain_sam: Page
) -> None:
    page = plain_sam
    page.goto(f"{shared_site.url}trace/?q=mail+readers&target=Report.send")
    page.get_by_role("button", name="Save as case").click()
    notice = page.locator("#case-notice")
    expect(notice).to_contain_text("This question is a case")
    notice.get_by_role("link", name="All cases").click()
    page.get_by_role("link", name="saved for shop").first.click()

    page.get_by_label("Query", exact=True).fill("add the lines up")
    page.get_by_label("Targets, one a line").fill("Invoice.total")
    page.get_by_role("button", name="Add", exact=True).click()

    cases = page.get_by_role("table", name="Cases of the set")
    expect(cases).to_contain_text("add the lines up")
    cases.get_by_role("link", name="Change the case add the lines up").click()
    page.get_by_role("button", name="Delete this case").click()
    expect(cases).not_to_contain_text("add the lines up")
    expect(cases).to_contain_text("mail readers")
