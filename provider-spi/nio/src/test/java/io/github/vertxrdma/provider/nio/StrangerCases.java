package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that send something else, or nothing, and listeners of another kind. */
@Timeout(120)
interface StrangerCases {
  int MOST_INCOMPLETE = 1024;

  Device device();

  @Test
  default void strangersDoNotDisturbTheListener() throws Exception {
    try (Pair pair = Pair.open(device(), new PairOptions())) {
      Listener listener = pair.b.listenAndAccept();
      try (Socket silent = RawSockets.open(listener);
        Socket http = RawSockets.open(listener);
        Socket early = RawSockets.open(listener);
        Socket half = RawSockets.open(listener)) {
        early.getOutputStream().write(Arrays.copyOf(RawSockets.header(NioFrame.CONNECT, 0).array(), NioFrame.HEADER + 1));
        http.getOutputStream().write("GET / HTTP/1.1\r\nHost: somewhere.example\r\nAccept: */*\r\nUser-Agent: a stranger\r\n\r\n".getBytes(
          StandardCharsets.US_ASCII));
        half.getOutputStream().write(RawSockets.header(NioFrame.CONNECT, 200).array());
        pair.a.connect(listener.localAddress());
        pair.until("connected", () -> pair.a.connected.size() == 1 && pair.b.connected.size() == 1);
        pair.until("the stranger is hung up on", () -> RawSockets.isClosed(http));
        pair.until("who says more before it is answered is hung up on", () -> RawSockets.isClosed(early));
        assertEquals(1, pair.b.requests.size());
        assertTrue(silent.isConnected());
      }
    }
  }

  @Test
  default void silentStrangersAreBounded() throws Exception {
    EndpointOptions patient = new EndpointOptions().withConnectTimeoutMillis(120_000);
    List<Socket> strangers = new ArrayList<>();
    try (Pair pair = Pair.open(device(), new PairOptions().withEndpoint(patient))) {
      Listener listener = pair.b.listenAndAccept();
      for (int i = 0; i < MOST_INCOMPLETE + 3; i++) {
        strangers.add(RawSockets.open(listener));
        pair.poll();
      }
      pair.until("the first are hung up on", () -> strangers.stream().limit(3).allMatch(RawSockets::isClosed));
      RawSockets.send(strangers.get(MOST_INCOMPLETE / 2), NioFrame.CONNECT, 0);
      RawSockets.send(strangers.getLast(), NioFrame.CONNECT, 0);
      pair.a.connect(listener.localAddress());
      pair.until("all are connected", () -> pair.a.connected.size() == 1 && pair.b.connected.size() == 3);
    } finally {
      for (Socket stranger : strangers) {
        stranger.close();
      }
    }
  }

  /** The kernel returns a connection that was reset before it is accepted, and that has no address any more. */
  @Test
  default void peerThatLeavesBeforeItsAcceptLeavesNothing() throws Exception {
    try (Pair pair = Pair.open(device(), new PairOptions())) {
      Listener listener = pair.b.listenAndAccept();
      resets(listener, 1);
      long before = sockets();
      resets(listener, 20);
      pair.a.connect(listener.localAddress());
      pair.until("connected", () -> pair.a.connected.size() == 1 && pair.b.connected.size() == 1);
      pair.until("nothing is left", () -> sockets() <= before + 2);
    }
  }

  private static void resets(Listener listener, int times) throws IOException {
    for (int i = 0; i < times; i++) {
      try (Socket stranger = RawSockets.open(listener)) {
        stranger.setSoLinger(true, 0);
      }
    }
  }

  private static long sockets() {
    return Leaks.descriptors().stream().filter(file -> file.startsWith("socket:")).count();
  }

  @Test
  default void aListenerOfAnotherKindIsAnError() throws Exception {
    for (String answer : new String[] {"",
      "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\nServer: another\r\n\r\n"}) {
      try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Domain domain = device().open();
        Side side = new Side(domain, new PairOptions())) {
        Thread other = Thread.ofPlatform().daemon().start(() -> {
          try (Socket socket = server.accept()) {
            socket.getInputStream().readNBytes(NioFrame.HEADER);
            socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
          } catch (IOException e) {
            // The socket was closed meanwhile.
          }
        });
        side.connect(EndpointAddress.of((InetSocketAddress) server.getLocalSocketAddress()));
        Await.until("the failure", () -> side.disconnected.size() == 1, side::poll, side::toString);
        assertEquals(answer.isEmpty() ? ProviderException.Reason.REFUSED : ProviderException.Reason.OTHER, side.cause.reason());
        other.join(20_000);
      }
    }
  }
}
