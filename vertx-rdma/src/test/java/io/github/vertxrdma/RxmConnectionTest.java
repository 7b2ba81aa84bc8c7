package io.github.vertxrdma;

class RxmConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
