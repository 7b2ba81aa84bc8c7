package io.github.vertxrdma.suites;

import io.vertx.tests.http.Http2ClientTest;
import io.vertx.tests.http.Http2ServerTest;
import io.vertx.tests.http.Http2Test;
import io.vertx.tests.http.sendfile.Http2SendFileTest;

class Http2SuiteTest extends SuiteContract {
  Http2SuiteTest() {
    super("http2", Http2Test.class, Http2ClientTest.class, Http2ServerTest.class, Http2SendFileTest.class);
  }
}
