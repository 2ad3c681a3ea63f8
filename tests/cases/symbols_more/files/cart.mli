(** A line of a cart. *)
type line

(** Adds up. *)
val total : line list -> int

module Cart : sig
  val empty : unit -> line list
end
