module Shop

using LinearAlgebra
import Base: show

"""
    Line{T}

A line of a cart.
"""
struct Line{T} <: Priced
    price::T
end

mutable struct Cart
    lines::Vector{Line}
end

abstract type Priced end

# Adds up.
function total(cart::Cart)::Int where {T}
    sum = 0
    inner(x) = x + 1
    function nested(y)
        y
    end
    sum
end

"Halves."
half(line::Line) = line.price / 2

twice(x::T) where {T} = 2x

Base.show(io::IO, line::Line) = print(io, "fake() = 1")

y = total(Cart([]))

macro shout(text)
    :(println($text))
end

end # module
