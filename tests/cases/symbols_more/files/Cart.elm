module Cart exposing (..)

import Html exposing (text)
import Json.Decode as D


{-| A line of a cart.
-}
type alias Line =
    { price : Int
    , sku : String
    }


type Msg
    = Add Line
    | Clear


port save : String -> Cmd msg


{-| Adds up.
-}
total : List Line -> Int
total lines =
    let
        add line sum =
            line.price + sum
    in
    List.foldl add 0 lines


limit =
    3
