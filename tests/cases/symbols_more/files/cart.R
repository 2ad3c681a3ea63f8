library(stats)
require("utils")

#' Adds up.
#'
#' @param lines the lines
total <- function(lines, rate = 0.19) {
  taxed <- function(x) {
    x * (1 + rate)
  }
  one <- function(x) x
  sum(taxed(lines))
}

half.price = function(line) line / 2

Cart <- setClass("Cart", representation(lines = "list"))

setGeneric("price", function(object) standardGeneric("price"))

setMethod("price", "Cart", function(object) {
  total(object@lines)
})

`%+%` <- function(a, b) paste0(a, b)

text <- "fake <- function() 1"
