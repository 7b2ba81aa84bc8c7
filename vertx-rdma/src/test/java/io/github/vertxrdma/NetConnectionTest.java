package io.github.vertxrdma;

class NetConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "net";
  }

  /** Its receive queue holds 256. */
  @Override
  int connections() {
    return 30;
  }
}
