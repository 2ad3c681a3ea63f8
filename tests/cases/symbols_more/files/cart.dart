import 'dart:async';
import 'package:shop/line.dart';

/// A cart of lines.
@immutable
class Cart<T extends Line> extends Base with Counted {
  final List<T> lines;

  /// Makes a cart.
  Cart(this.lines);

  Cart.empty() : lines = const [];

  factory Cart.of(T line) => Cart([line]);

  int get total => lines.length;

  set first(T line) {
    lines[0] = line;
  }

  /// Adds a line.
  @override
  void add(T line) {
    void inner() {
      print(line);
    }

    inner();
  }

  static Cart parse(String s) {
    return Cart.empty();
  }

  Cart operator +(Cart other) => this;

  Future<void> load() async {
    await null;
  }
}

abstract class Priced {
  int price();
}

mixin Counted {
  int count() => 0;
}

enum Level { low, high }

extension Slug on String {
  String slug() => toLowerCase();
}

typedef Handler = int Function(int);

/// Runs.
int run(int a) {
  return a;
}

void main() => run(1);
