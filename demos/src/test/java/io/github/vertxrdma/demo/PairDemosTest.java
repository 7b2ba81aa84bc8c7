package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the demos of two processes from the command line. */
@Timeout(480)
@Tag("full")
class PairDemosTest {

  @Test
  @Tag("full")
  void keyValueGetsAreRemoteReadsWithoutServerWork() throws Exception {
    try (DemoProcess demo = DemoProcess.start("kv", "--fabric", "nio", "--keys", "40", "--gets", "100")) {
      assertEquals(0, demo.waitFor(), demo.output());
      assertTrue(demo.line("answered by the server's code").matches(" *answered by the server's code +0 +100"), demo.output());
      assertTrue(demo.line("done").equals("done: every value was what had been put"), demo.output());
    }
  }

  @Test
  void aStockHttpServerAnswersOverTheFabric() throws Exception {
    try (DemoProcess demo = DemoProcess.start("http", "--fabric", "nio", "--requests", "50", "--size", "100000")) {
      assertEquals(0, demo.waitFor(), demo.output());
      assertTrue(demo.line("GETs of 100000 bytes").matches("50 GETs of 100000 bytes, in a row +nio +TCP"), demo.output());
    }
  }

  @Test
  @Tag("full")
  void aServiceIsReachedFromOutsideOfTheCluster() throws Exception {
    try (DemoProcess demo = DemoProcess.start("service", "--fabric", "nio", "--requests", "100")) {
      assertEquals(0, demo.waitFor(), demo.output());
      assertTrue(demo.line("clustered: ").matches("clustered: false; 'orders' of node \\S+ is reached over nio \\(nio, MSG endpoint\\)"),
        demo.output());
      assertEquals("an order of 3: 3 apples are ordered", demo.line("an order of 3"), demo.output());
      assertEquals("an order of 500: refused, 413 too many", demo.line("an order of 500"), demo.output());
      assertEquals("done: every order was answered", demo.line("done"), demo.output());
    }
  }

  @Test
  void allKindsOfCallsAreTheSameOverTheFabricAndOverHttp2() throws Exception {
    try (DemoProcess demo = DemoProcess.start("contract", "--fabric", "nio", "--calls", "50")) {
      assertEquals(0, demo.waitFor(), demo.output());
      assertEquals("a call, a stream from the server, one to the server and one each way: the same over nio and over HTTP/2",
        demo.line("a call, "), demo.output());
      assertTrue(demo.line("50 unary calls").matches("50 unary calls, in a row +nio +HTTP/2"), demo.output());
      assertEquals("done: every call was answered", demo.line("done"), demo.output());
    }
  }
}
