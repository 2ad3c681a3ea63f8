open Printf

(** A line of a cart. *)
type line = { sku : string; price : int }

type level = Low | High
and other = A

exception Bad of string

(** Adds up. *)
let rec total lines =
  let add a b = a + b in
  match lines with
  | [] -> 0
  | l :: rest -> add l.price (total rest)
and half line = line.price / 2

let double = fun x -> x * 2

let limit = 3

let ( <+> ) a b = a + b

(* A module. *)
module Cart = struct
  let empty () = []

  module Inner = struct
    let deep x = x
  end
end

module type PRICED = sig
  val price : int -> int
end

class counter = object
  val mutable n = 0
  method next = n <- n + 1
end

external now : unit -> float = "now"
