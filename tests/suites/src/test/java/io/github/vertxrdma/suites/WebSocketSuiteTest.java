package io.github.vertxrdma.suites;

import io.vertx.tests.http.WebSocketTest;

/** Vert.x's tests of WebSockets. */
class WebSocketSuiteTest extends SuiteContract {
  WebSocketSuiteTest() {
    super("websocket", WebSocketTest.class);
  }
}
