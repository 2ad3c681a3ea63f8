defmodule Shop.Cart do
  @moduledoc """
  Holds lines.
  """
  alias Shop.Line
  @timeout 5_000

  defstruct lines: []

  @doc """
  Adds a line.

  Returns the cart.
  """
  @spec add(t, Line.t()) :: t
  def add(cart, %Line{} = line) when is_map(cart) do
    %{cart | lines: [line | cart.lines]}
  end

  def add(cart, nil), do: cart

  # Sums up.
  defp total([]), do: 0

  defp total([line | rest]) do
    line.price + total(rest)
  end

  def a <> b, do: {a, b}

  defmacro unless_empty(cart, do: block) do
    quote do: unquote(block)
  end

  defmodule Empty do
    def empty?, do: true
  end
end

defprotocol Shop.Priced do
  @doc "The price."
  def price(data)
end

defimpl Shop.Priced, for: Shop.Cart do
  def price(cart), do: cart.total
end
