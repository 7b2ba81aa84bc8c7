package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.loop.PollPolicies;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.transport.Transport;
import java.io.DataInputStream;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a Vert.x's transport by this library being on the class path. */
class TransportInstallerTest {

  private static io.vertx.core.spi.transport.Transport transportOf(Transport asked, String property, String value) throws Exception {
    assumeTrue(Transport.EPOLL != null && Transport.EPOLL.available(), "epoll is not available here");
    if (property != null) {
      System.setProperty(property, value);
    }
    try {
      Vertx vertx = Vertx.builder().withTransport(asked).build();
      try {
        return ((VertxInternal) vertx).transport();
      } finally {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
      }
    } finally {
      if (property != null) {
        System.clearProperty(property);
      }
    }
  }

  @Test
  @Timeout(60)
  void epollIsWrappedAndNioIsReplacedByIt() throws Exception {
    for (Transport asked : new Transport[] {Transport.EPOLL, Transport.NIO}) {
      RdmaTransport ours = assertInstanceOf(RdmaTransport.class, transportOf(asked, null, null));
      assertEquals(Transport.EPOLL.implementation().getClass(), ours.stock().getClass());
    }
  }

  @Test
  @Timeout(60)
  void filesAreNotLeftToTheKernelWhereTheFabricTakesAllStreams() throws Exception {
    assertTrue(transportOf(Transport.EPOLL, null, null).supportFileRegion());
    assertFalse(transportOf(Transport.EPOLL, TransportOptions.STREAMS, "all").supportFileRegion());
  }

  @Test
  @Timeout(60)
  void itCanBeSwitchedOff() throws Exception {
    assertEquals(Transport.NIO.implementation(), transportOf(Transport.NIO, "vertx.rdma", "off"));
    assertEquals(Transport.EPOLL.implementation(), transportOf(Transport.EPOLL, "vertx.rdma", "off"));
  }

  @Test
  @Timeout(60)
  void nioIsKeptOnDemand() throws Exception {
    assertEquals(Transport.NIO.implementation(), transportOf(Transport.NIO, TransportInstaller.PROPERTY, "keep"));
  }

  @Test
  @Timeout(60)
  void aPolicyThatDoesNotExistIsNamed() {
    String message = assertThrows(IllegalArgumentException.class, () -> transportOf(Transport.EPOLL, PollPolicies.PROPERTY, "eager"))
      .getMessage();
    assertTrue(message.contains("eager") && message.contains("adaptive"), message);
  }

  @Test
  @Timeout(60)
  void theServiceClassesRunOnTheOldestJavaOfVertx() throws Exception {
    for (Class<?> service : new Class<?>[] {RdmaVertxServiceProvider.class, RdmaVerticleFactory.class}) {
      try (InputStream in = service.getResourceAsStream(service.getSimpleName() + ".class"); DataInputStream data = new DataInputStream(in)) {
        data.readInt();
        data.readUnsignedShort();
        assertEquals(55, data.readUnsignedShort(), service + " is not compiled for Java 11");
      }
    }
  }
}
