package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The highest common version is used. Without one, the error names the versions of both sides. */
@Timeout(60)
class VersionsTest {
  private static final VersionRange OWN = NioFrame.VERSIONS;
  private static final VersionRange WIDER = new VersionRange(OWN.lowest() - 1, OWN.highest() + 4);
  private static final VersionRange LATER = new VersionRange(OWN.highest() + 1, OWN.highest() + 4);

  private final Pair pair = Pair.open(Devices.require(new NioProvider(), "nio"), new PairOptions());

  private static byte[] frame(byte type, int cause, VersionRange versions) {
    ByteBuffer frame = ByteBuffer.allocate(NioFrame.HEADER);
    NioFrame.put(frame, type, 0, cause, 0, NioFrame.MAGIC, versions.word(), 16, 0, 0);
    return frame.array();
  }

  private ByteBuffer answerTo(VersionRange versions) throws IOException {
    try (Socket peer = RawSockets.open(pair.b.listenAndAccept())) {
      peer.getOutputStream().write(frame(NioFrame.CONNECT, 0, versions));
      pair.until("an answer comes", () -> available(peer) >= NioFrame.HEADER);
      return ByteBuffer.wrap(peer.getInputStream().readNBytes(NioFrame.HEADER));
    }
  }

  private static int available(Socket socket) {
    try {
      return socket.getInputStream().available();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void acceptorChoosesTheHighestCommonVersion() throws Exception {
    try (pair) {
      ByteBuffer answer = answerTo(WIDER);
      assertEquals(NioFrame.ACCEPT, answer.get(0));
      assertEquals(VersionRange.only(OWN.highest()), VersionRange.of(answer.getInt(24)));
    }
  }

  @Test
  void acceptorWithoutACommonVersionRefusesAndNamesItsOwn() throws Exception {
    try (pair) {
      ByteBuffer answer = answerTo(LATER);
      assertEquals(NioFrame.REJECT, answer.get(0));
      assertEquals(NioFrame.OTHER_VERSIONS, answer.getInt(4));
      assertEquals(OWN, VersionRange.of(answer.getInt(24)));
      assertTrue(pair.b.requests.isEmpty());
    }
  }

  @ParameterizedTest
  @ValueSource(bytes = {NioFrame.REJECT, NioFrame.ACCEPT})
  void connectorWithoutACommonVersionNamesBoth(byte answer) throws Exception {
    try (pair; ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      pair.a.connect(EndpointAddress.of((InetSocketAddress) server.getLocalSocketAddress()));
      try (Socket peer = server.accept()) {
        pair.until("the request comes", () -> available(peer) >= NioFrame.HEADER);
        assertEquals(OWN, VersionRange.of(ByteBuffer.wrap(peer.getInputStream().readNBytes(NioFrame.HEADER)).getInt(24)));
        peer.getOutputStream().write(frame(answer, answer == NioFrame.REJECT ? NioFrame.OTHER_VERSIONS : 0, LATER));
        pair.until("the connect fails", () -> !pair.a.disconnected.isEmpty());
      }
      assertEquals(Reason.REFUSED, pair.a.cause.reason());
      assertTrue(pair.a.cause.getMessage().endsWith("the peer has " + LATER + " of the protocol of nio, and this node has " + OWN
        + ". Upgrade the node with the older vertx-rdma"), pair.a.cause.getMessage());
    }
  }
}
