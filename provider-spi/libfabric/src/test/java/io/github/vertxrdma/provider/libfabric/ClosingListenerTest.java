package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A listener of tcp that closes while connects are in progress: it has accepted connections whose requests have not arrived, or just
 * arrived.
 */
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "what the library has taken is found in /proc")
class ClosingListenerTest {
  private static final int POLLS = 1000;
  private static final int CLIENTS = 20;

  private final FabricDevice tcp = (FabricDevice) Devices.require(new LibfabricProvider(), "tcp");

  @Test
  void connectIsRefusedWhenListenerCloses() {
    try (Pair pair = Pair.open(tcp, new PairOptions())) {
      Leaks before = Leaks.snapshot();
      Listener listener = pair.b.listen(null, pair.b.requests::add);
      pair.a.connect(listener.localAddress());
      for (int i = 0; i < POLLS; i++) {
        pair.b.poll();
      }
      assumeTrue(pair.b.requests.isEmpty(), "this libfabric sends a request whole before it is polled, as 2.6 does: none is half there");
      listener.close();
      pair.until("the refusal", () -> !pair.a.disconnected.isEmpty());
      assertEquals(Reason.REFUSED, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertEquals(0, pair.b.requests.size());
      pair.left().close();
      pair.until("nothing left over", () -> before.grown().isEmpty());
    }
  }

  /**
   * @param eighths part of the request that has arrived
   * @param polls polls of the listening side before the close
   */
  @ParameterizedTest
  @CsvSource({"0, 0", "0, 1", "0, 50", "1, 0", "1, 1", "1, 50", "7, 0", "7, 1", "7, 50", "8, 0", "8, 1", "8, 50"})
  void nothingIsLeftOfRequests(int eighths, int polls) throws Exception {
    byte[] request = request();
    try (Pair pair = Pair.open(tcp, new PairOptions())) {
      Leaks before = Leaks.snapshot();
      Listener listener = pair.b.listen(null, pair.b.requests::add);
      EndpointAddress address = listener.localAddress();
      closeWith(pair, listener, Arrays.copyOf(request, request.length * eighths / 8), polls);
      // The port is free, so a second listener has the same address.
      closeWith(pair, pair.b.listen(address, pair.b.requests::add), Arrays.copyOf(request, request.length * eighths / 8), polls);
      before.assertNoneSince();
    }
  }

  /** The queue closes with its listener, as that of a node does. */
  @ParameterizedTest
  @CsvSource({"0", "4", "8"})
  void nothingIsLeftWhenTheQueueCloses(int eighths) throws Exception {
    byte[] request = request();
    Leaks before = Leaks.snapshot();
    List<Socket> clients;
    try (Pair pair = Pair.open(tcp, new PairOptions())) {
      Listener listener = pair.b.listen(null, pair.b.requests::add);
      clients = clients(listener, Arrays.copyOf(request, request.length * eighths / 8));
      pair.b.poll();
    }
    end(clients);
    before.assertNoneSince();
  }

  private static void closeWith(Pair pair, Listener listener, byte[] sent, int polls) throws IOException {
    List<Socket> clients = clients(listener, sent);
    for (int i = 0; i < polls; i++) {
      pair.b.poll();
    }
    listener.close();
    end(clients);
  }

  private static List<Socket> clients(Listener listener, byte[] sent) throws IOException {
    List<Socket> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      InetSocketAddress address = listener.localAddress().toInet();
      Socket client = new Socket(address.getAddress(), address.getPort());
      client.getOutputStream().write(sent);
      clients.add(client);
    }
    return clients;
  }

  /** Waits until the listening side has ended each client. */
  private static void end(List<Socket> clients) throws IOException {
    for (Socket client : clients) {
      try (client) {
        client.setSoTimeout((int) Await.patienceMillis());
        client.getInputStream().readAllBytes();
      } catch (SocketTimeoutException e) {
        throw new AssertionError("a connection that nobody took is open still", e);
      } catch (IOException e) {
        // The connection was reset.
      }
    }
  }

  /** Returns the bytes that the library sends to connect. */
  private byte[] request() throws IOException {
    try (Pair pair = Pair.open(tcp, new PairOptions()); ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
      pair.a.connect(EndpointAddress.of((InetSocketAddress) server.getLocalAddress()));
      SocketChannel[] socket = new SocketChannel[1];
      ByteBuffer bytes = ByteBuffer.allocate(1024);
      pair.until("its request", () -> {
        try {
          if (socket[0] == null) {
            socket[0] = server.accept();
            if (socket[0] != null) {
              socket[0].configureBlocking(false);
            }
          }
          return socket[0] != null && socket[0].read(bytes) > 0;
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      });
      socket[0].close();
      assertNotEquals(0, bytes.position());
      return Arrays.copyOf(bytes.array(), bytes.position());
    }
  }
}
