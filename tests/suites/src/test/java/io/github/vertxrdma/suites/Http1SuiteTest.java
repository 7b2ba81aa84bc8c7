package io.github.vertxrdma.suites;

import io.vertx.tests.http.Http1xTest;
import io.vertx.tests.http.sendfile.Http1xSendFileTest;
import io.vertx.tests.tls.Http1xTLSTest;

class Http1SuiteTest extends SuiteContract {
  Http1SuiteTest() {
    super("http1", Http1xTest.class, Http1xSendFileTest.class, Http1xTLSTest.class);
  }
}
