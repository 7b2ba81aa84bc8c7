package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Leaks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers of the end of a connection that close other objects too. */
@Timeout(60)
class ClosingHandlersTest implements EndpointHandler {
  private static final int LONG = 60_000;

  private final Device tcp = Devices.require(new LibfabricProvider(), "tcp");
  private final CompletionBatch batch = new CompletionBatch(16);
  private final List<Endpoint> all = new ArrayList<>();
  private final List<Endpoint> over = new ArrayList<>();
  private final List<EndpointState> states = new ArrayList<>();
  private Runnable closing;

  /** Connects to a listener that never answers; the last connect times out first. */
  private void hearOfATimeout(Domain domain, CompletionQueue queue) throws IOException {
    try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      EndpointAddress address = EndpointAddress.of((InetSocketAddress) mute.getLocalSocketAddress());
      for (int millis : new int[] {LONG, LONG, 1}) {
        Endpoint endpoint = domain.createEndpoint(queue, new EndpointOptions().withConnectTimeoutMillis(millis), this);
        all.add(endpoint);
        endpoint.connect(address, new byte[0]);
      }
      Await.until("a timeout", () -> !over.isEmpty(), () -> queue.poll(batch), all::toString);
    }
    assertEquals(List.of(all.getLast()), over);
  }

  @Override
  public void connected(Endpoint endpoint, byte[] privateData) {
    throw new AssertionError("nobody answers");
  }

  @Override
  public void disconnected(Endpoint endpoint, ProviderException cause) {
    over.add(endpoint);
    closing.run();
    all.forEach(each -> states.add(each.state()));
  }

  @Test
  void handlerClosesConnectingEndpoints() throws IOException {
    Leaks before = Leaks.snapshot();
    closing = () -> all.forEach(Endpoint::close);
    try (Domain domain = tcp.open(); CompletionQueue queue = domain.createCompletionQueue(16)) {
      hearOfATimeout(domain, queue);
      assertEquals(0, queue.poll(batch));
    }
    before.assertNoneSince();
  }

  /** The queue's memory may be freed when close returned, although the poll that called the handler continues. */
  @Test
  void handlerClosesItsQueue() throws IOException {
    Leaks before = Leaks.snapshot();
    try (Domain domain = tcp.open(); CompletionQueue queue = domain.createCompletionQueue(16)) {
      closing = queue::close;
      hearOfATimeout(domain, queue);
      assertEquals(Collections.nCopies(all.size(), EndpointState.CLOSED), states);
      assertEquals(0, queue.poll(batch));
      assertEquals(ProviderException.Reason.INVALID, assertThrows(ProviderException.class,
        () -> domain.createEndpoint(queue, new EndpointOptions(), this)).reason());
    }
    before.assertNoneSince();
  }
}
