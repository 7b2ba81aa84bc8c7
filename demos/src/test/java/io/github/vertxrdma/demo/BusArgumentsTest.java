package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node in a container is told. */
@Timeout(60)
class BusArgumentsTest {
  @Test
  void aPageAndMetersAreServedSomewhereOrNotAtAll() throws Exception {
    assertEquals("0.0.0.0:7480", BusArguments.parse("--node", "a", "--page", "0.0.0.0:7480").page());
    assertEquals(null, BusArguments.parse("--node", "a", "--page", "").page());
    assertEquals("a:9464", BusArguments.parse("--node", "a", "--metrics", "a:9464").metrics());
    for (String wrong : new String[] {"7480", ":7480", "127.0.0.1:", "127.0.0.1:many", "127.0.0.1:65536", "127.0.0.1:-1"}) {
      assertEquals("--page " + wrong + ": a host and a port, as 127.0.0.1:7480",
        assertThrows(UsageException.class, () -> BusArguments.parse("--node", "a", "--page", wrong)).getMessage());
    }
  }
}
