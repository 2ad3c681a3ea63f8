{-# LANGUAGE GADTs #-}
-- | Carts of lines.
module Shop.Cart (total) where

import qualified Data.Map as M
import Data.List (sort)

-- | A line of a cart.
data Line = Line
  { sku :: String
  , qty :: Int
  } deriving (Show)

newtype Money = Money Int

type Lines = [Line]

-- | What has a price.
class Priced a where
  price :: a -> Int
  price _ = 0

instance Priced Line where
  price l = qty l * 2

instance Show (Maybe' a) where
  show _ = "x"

-- | Adds up.
total :: Lines -> Int
total [] = 0
total (l : ls) = price l + rest
  where
    rest = total ls
    go x = x

(<+>) :: Money -> Money -> Money
Money a <+> Money b = Money (a + b)

main :: IO ()
main = do
  print (total [])
