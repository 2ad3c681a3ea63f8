local json = require("json")

local Cart = {}
Cart.__index = Cart

--- Makes a cart.
-- @return Cart
function Cart.new(items)
  return setmetatable({ items = items }, Cart)
end

--[[ Adds up
the prices. ]]
function Cart:total(rate)
  local function taxed(price)
    return price * rate
  end
  local sum = 0
  for _, item in ipairs(self.items) do
    sum = sum + taxed(item.price)
  end
  return sum
end -- total

Cart.clear = function(self)
  self.items = {}
end

local handlers = {
  open = function(id) return id end,
  close = function(id)
    return nil
  end,
}

local text = [[
function fake() end
]]

return Cart
