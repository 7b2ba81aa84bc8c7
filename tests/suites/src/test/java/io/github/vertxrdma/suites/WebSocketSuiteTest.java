package io.github.vertxrdma.suites;

import io.vertx.tests.http.WebSocketTest;

class WebSocketSuiteTest extends SuiteContract {
  WebSocketSuiteTest() {
    super("websocket", WebSocketTest.class);
  }
}
