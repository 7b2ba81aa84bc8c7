package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.ConnectAccept;
import io.github.vertxrdma.impl.link.ConnectRequest;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Handshake;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SecretHandshakeTest {
  private static final int PRIVATE_DATA = 56;
  private static final byte[] NOTHING = {};
  private static final byte[] USERS = {0, 0, 3, 1, 0, 0, 3, 2};
  private static final byte[] USERS_OF_RELAY = {0, 0, 3, 1, 0, 0, 3, 3};
  private static final FabricAddress ADDRESS = new FabricAddress("tcp", "tcp", 0, EndpointAddress.of("here"), Device.Reach.NETWORK, "");
  private static final FabricAddress ELSEWHERE = new FabricAddress("tcp", "tcp", 0, EndpointAddress.of("there"), Device.Reach.NETWORK, "");

  private final NodeEntry a = NodeEntry.local("node-a", 11);
  private final NodeEntry b = NodeEntry.local("node-b", 22);
  private final ClusterSecret secret = ClusterSecret.of("the same on all nodes".getBytes());
  private final ClusterSecret other = ClusterSecret.of("another one, elsewhere".getBytes());
  private final SecretHandshake ofA = new SecretHandshake(secret, () -> a);
  private final SecretHandshake ofB = new SecretHandshake(secret, () -> b);

  /** Pads bytes as a transport does that always carries the full length. */
  private static byte[] padded(byte[] bytes) {
    assertTrue(bytes.length <= PRIVATE_DATA);
    return Arrays.copyOf(bytes, PRIVATE_DATA);
  }

  private static void run(Handshake connector, Handshake acceptor, String nodeId, long epoch) {
    Handshake.Connecting connecting = connector.connecting();
    Handshake.Accepting accepting = acceptor.accepting(padded(connecting.request()), NOTHING);
    accepting.verify(connecting.confirm(padded(accepting.accept()), NOTHING), nodeId, epoch);
  }

  private static void fails(RdmaException.Reason reason, String words, Handshake connector, Handshake acceptor, String nodeId, long epoch) {
    RdmaException e = assertThrows(RdmaException.class, () -> run(connector, acceptor, nodeId, epoch));
    assertEquals(reason, e.reason());
    assertTrue(e.getMessage().contains(words), e.getMessage());
  }

  @Test
  void bothEndsProveTheSecret() {
    run(ofA, ofB, "node-a", 11);
    run(ofA.to(b, ADDRESS), ofB.at(ADDRESS), "node-a", 11);
    run(ofA.to(b.withEpoch(0), ADDRESS), ofB.at(ADDRESS), "node-a", 11);
    run(ofA, ofB.at(ADDRESS), "node-a", 11);
  }

  @Test
  void bothSidesDetectDifferentSecrets() {
    SecretHandshake stranger = new SecretHandshake(other, () -> a);
    fails(RdmaException.Reason.NOT_AUTHENTIC, "the peer does not know", stranger, ofB, "node-a", 11);
    fails(RdmaException.Reason.NOT_AUTHENTIC, "node node-b does not know", stranger.to(b, ADDRESS), ofB.at(ADDRESS), "node-a", 11);
    // A stranger that ignores the acceptor's proof cannot prove itself either.
    Handshake.Accepting accepting = ofB.accepting(stranger.connecting().request(), NOTHING);
    assertThrows(RdmaException.class, () -> accepting.verify(new byte[32], "node-a", 11));
    assertThrows(RdmaException.class, () -> accepting.verify(new byte[0], "node-a", 11));
  }

  @Test
  void nodeIdIsPartOfTheProof() {
    fails(RdmaException.Reason.NOT_AUTHENTIC, "calls itself node node-c", ofA, ofB, "node-c", 11);
    fails(RdmaException.Reason.UNREACHABLE, "node node-a has rejoined its cluster", ofA, ofB, "node-a", 12);
    fails(RdmaException.Reason.UNREACHABLE, "another node answers at the address of node "
      + "node-c", ofA.to(NodeEntry.local("node-c", 22), ADDRESS), ofB.at(ADDRESS),
      "node-a", 11);
    fails(RdmaException.Reason.UNREACHABLE, "restarted", ofA.to(b.withEpoch(21), ADDRESS), ofB.at(ADDRESS), "node-a", 11);
    fails(RdmaException.Reason.NOT_AUTHENTIC, "secret", ofA.to(b, ADDRESS), ofB.at(ELSEWHERE), "node-a", 11);
  }

  /** A process of another user between both ends is reported to each in place of the other end. */
  @Test
  void usersOfBothEndsArePartOfProof() {
    Handshake.Connecting connecting = ofA.connecting();
    Handshake.Accepting accepting = ofB.accepting(connecting.request(), USERS);
    accepting.verify(connecting.confirm(accepting.accept(), USERS), "node-a", 11);
    Handshake.Connecting relayed = ofA.connecting();
    byte[] accept = ofB.accepting(relayed.request(), USERS).accept();
    assertThrows(RdmaException.class, () -> relayed.confirm(accept, USERS_OF_RELAY));
    assertThrows(RdmaException.class, () -> relayed.confirm(accept, NOTHING));
  }

  @Test
  void everyBitCounts() {
    for (int bit = 0; bit < ConnectAccept.LENGTH * 8; bit++) {
      Handshake.Connecting connecting = ofA.connecting();
      byte[] accept = ofB.accepting(connecting.request(), NOTHING).accept();
      accept[bit / 8] ^= (byte) (1 << bit % 8);
      assertThrows(RdmaException.class, () -> connecting.confirm(accept, NOTHING), "bit " + bit + " of the accept");
    }
    for (int bit = 0; bit < ConnectRequest.LENGTH * 8; bit++) {
      Handshake.Connecting connecting = ofA.connecting();
      byte[] request = connecting.request();
      request[bit / 8] ^= (byte) (1 << bit % 8);
      assertThrows(RdmaException.class, () -> connecting.confirm(ofB.accepting(request, NOTHING).accept(), NOTHING),
        "bit " + bit + " of the request");
    }
  }

  @Test
  void nothingCanBePlayedBack() {
    Handshake.Connecting first = ofA.connecting();
    Handshake.Accepting accepted = ofB.accepting(first.request(), NOTHING);
    byte[] proof = first.confirm(accepted.accept(), NOTHING);
    // The same request again gets another nonce, so the old proof does not fit.
    Handshake.Accepting again = ofB.accepting(first.request(), NOTHING);
    assertThrows(RdmaException.class, () -> again.verify(proof, "node-a", 11));
    // An acceptor's answer does not fit another request.
    assertThrows(RdmaException.class, () -> ofA.connecting().confirm(accepted.accept(), NOTHING));
    // The acceptor's own proof is not valid as a connector's.
    byte[] accept = accepted.accept();
    assertThrows(RdmaException.class, () -> accepted.verify(Arrays.copyOfRange(accept, accept.length - 16, accept.length), "node-a", 11));
  }

  /** Hands out a number of an acceptor to a connector. */
  private void handOut(SecretHandshake acceptor, SecretHandshake connector) {
    connector.nonces().received(b.nodeId(), null, acceptor.nonces().issue(a.nodeId(), null));
  }

  private byte[] greeted(Handshake.EarlyRequest early) {
    return greeted(early, early.proof());
  }

  private byte[] greeted(Handshake.EarlyRequest early, byte[] proof) {
    byte[] greeting = greeting(proof);
    byte[] request = Arrays.copyOf(early.request(), early.request().length + greeting.length);
    System.arraycopy(greeting, 0, request, early.request().length, greeting.length);
    return request;
  }

  private static byte[] greeting(byte[] proof) {
    return new Greeting(proof, "node-a", 11, "", 0, "endpoint/x", 16 << 10, 16, 16, 1 << 20, NOTHING, NOTHING, "").encode();
  }

  @Test
  void connectorProvesItselfWithRequestIfItHasANonce() {
    Handshake connector = ofA.to(b, ADDRESS);
    Handshake acceptor = ofB.at(ADDRESS);
    assertNull(connector.connecting().early(() -> fail("asked the kernel")), "no nonce was handed out");
    handOut(ofB, ofA);
    for (int i = 0; i < 3 * RequestNonces.WINDOW; i++) {
      Handshake.Connecting connecting = connector.connecting();
      Handshake.EarlyRequest early = connecting.early(() -> NOTHING);
      Handshake.Accepting accepting = acceptor.accepting(greeted(early), NOTHING);
      assertArrayEquals(greeting(early.proof()), accepting.greeting());
      assertNull(connecting.confirm(accepting.accept(), NOTHING), "the acceptor has the proof");
    }
  }

  private static void assertIdIsRefused(Handshake thief, Handshake acceptor, NodeEntry claimed) {
    fails(RdmaException.Reason.TIMEOUT, "node " + claimed.nodeId() + " is connected, and this peer has not proved that it is", thief,
      acceptor,
      claimed.nodeId(), claimed.epoch());
  }

  @Test
  void connectorProvesItsIdByTheNumberOfTheAcceptor() {
    SecretHandshake thief = new SecretHandshake(secret, () -> a);
    run(thief.to(b, ADDRESS), ofB.at(ADDRESS), "node-a", 11);
    handOut(ofB, ofA);
    run(ofA.to(b, ADDRESS), ofB.at(ADDRESS), "node-a", 11);
    run(ofA, ofB.at(ADDRESS), "node-a", 11);
    assertIdIsRefused(thief.to(b, ADDRESS), ofB.at(ADDRESS), a);
    thief.nonces().received(b.nodeId(), null, ofB.nonces().issue("node-c", null));
    assertIdIsRefused(thief.to(b, ADDRESS), ofB.at(ADDRESS), a);
    run(ofB.to(b, ADDRESS), ofB.at(ADDRESS), "node-b", 22);
    assertIdIsRefused(new SecretHandshake(secret, () -> b).at(ADDRESS), ofB.at(ADDRESS), b);
  }

  @Test
  void numberMayBeReplacedBetweenRequestAndProof() {
    handOut(ofB, ofA);
    Handshake.Connecting connecting = ofA.to(b, ADDRESS).connecting();
    Handshake.Accepting accepting = ofB.at(ADDRESS).accepting(connecting.request(), NOTHING);
    byte[] before = connecting.confirm(accepting.accept(), NOTHING);
    handOut(ofB, ofA);
    accepting.verify(before, "node-a", 11);
    accepting.verify(connecting.confirm(accepting.accept(), NOTHING), "node-a", 11);
  }

  /** Nodes that exchanged descriptions of endpoints know each other's id from their control connection. */
  @Test
  void exchangedEndpointIsOfTheNodeThatSentItsDescription() {
    Handshake acceptor = ofB.between("node-a", USERS, NOTHING);
    run(ofA.between("node-b", USERS, NOTHING), acceptor, "node-a", 11);
    fails(RdmaException.Reason.NOT_AUTHENTIC, "calls itself node node-c", new SecretHandshake(secret, () -> NodeEntry.local("node-c", 11))
      .between("node-b", USERS, NOTHING), acceptor, "node-c", 11);
  }

  @Test
  void nodeConnectsToItselfWithNonces() {
    Handshake.EarlyRequest early = ofA.to(a, ADDRESS).connecting().early(() -> NOTHING);
    assertNotNull(ofA.at(ADDRESS).accepting(greeted(early), NOTHING).greeting());
  }

  /** Users of a shared folder, as the kernel reports them, are part of the proof. */
  @Test
  void nonceIsUsedOverFabricsThatReportUsers() {
    handOut(ofB, ofA);
    assertNotNull(ofB.at(ADDRESS).accepting(greeted(ofA.to(b, ADDRESS).connecting().early(() -> USERS)), USERS).greeting());
    Handshake.EarlyRequest relayed = ofA.to(b, ADDRESS).connecting().early(() -> USERS_OF_RELAY);
    assertNull(ofB.at(ADDRESS).accepting(greeted(relayed), USERS).greeting());
  }

  @Test
  void repeatedRequestWithNonceProvesNothing() {
    Handshake connector = ofA.to(b, ADDRESS);
    Handshake acceptor = ofB.at(ADDRESS);
    handOut(ofB, ofA);
    Handshake.Connecting connecting = connector.connecting();
    Handshake.EarlyRequest early = connecting.early(() -> NOTHING);
    assertNotNull(acceptor.accepting(greeted(early), NOTHING).greeting());
    Handshake.Accepting again = acceptor.accepting(greeted(early), NOTHING);
    assertNull(again.greeting());
    assertThrows(RdmaException.class, () -> again.verify(early.proof(), "node-a", 11));
    // A connector whose nonce the acceptor does not accept proves itself in its first frame.
    again.verify(connecting.confirm(again.accept(), NOTHING), "node-a", 11);
  }

  @Test
  void requestsMayOvertakeEachOther() {
    Handshake connector = ofA.to(b, ADDRESS);
    Handshake acceptor = ofB.at(ADDRESS);
    handOut(ofB, ofA);
    List<byte[]> requests = new ArrayList<>();
    for (int i = 0; i <= RequestNonces.WINDOW; i++) {
      requests.add(greeted(connector.connecting().early(() -> NOTHING)));
    }
    List<byte[]> late = requests.reversed();
    for (byte[] request : late.subList(0, RequestNonces.WINDOW)) {
      assertNotNull(acceptor.accepting(request, NOTHING).greeting());
    }
    assertNull(acceptor.accepting(late.getLast(), NOTHING).greeting(), "too late");
    late.forEach(request -> assertNull(acceptor.accepting(request, NOTHING).greeting(), "used"));
  }

  @Test
  void nonceIsOfOnePeerAddressEpochAndSecret() {
    long[] epoch = {22};
    SecretHandshake acceptor = new SecretHandshake(secret, () -> b.withEpoch(epoch[0]));
    handOut(acceptor, ofA);
    SecretHandshake stranger = new SecretHandshake(other, () -> a);
    handOut(acceptor, stranger);
    assertNull(acceptor.at(ADDRESS).accepting(greeted(stranger.to(b, ADDRESS).connecting().early(() -> NOTHING)), NOTHING).greeting());
    handOut(acceptor, ofA);
    assertNull(acceptor.at(ELSEWHERE).accepting(greeted(ofA.to(b, ADDRESS).connecting().early(() -> NOTHING)), NOTHING).greeting());
    epoch[0]++;
    assertNull(acceptor.at(ADDRESS).accepting(greeted(ofA.to(b, ADDRESS).connecting().early(() -> NOTHING)), NOTHING).greeting());
    epoch[0]--;
    SecretHandshake ofC = new SecretHandshake(secret, () -> NodeEntry.local("node-c", 11));
    ofC.nonces().received(b.nodeId(), null, acceptor.nonces().issue(a.nodeId(), null));
    assertNull(acceptor.at(ADDRESS).accepting(greeted(ofC.to(b, ADDRESS).connecting().early(() -> NOTHING)), NOTHING).greeting());
  }

  /** Control connections are not encrypted, so others may know the nonces. */
  @Test
  void othersCannotUseUpNonces() {
    Handshake acceptor = ofB.at(ADDRESS);
    handOut(ofB, ofA);
    Handshake.EarlyRequest early = ofA.to(b, ADDRESS).connecting().early(() -> NOTHING);
    assertNull(acceptor.accepting(greeted(early, new byte[32]), NOTHING).greeting());
    byte[] far = greeted(early, new byte[32]);
    far[ConnectRequest.LENGTH + Long.BYTES] = 0x7f;
    assertNull(acceptor.accepting(far, NOTHING).greeting());
    assertNotNull(acceptor.accepting(greeted(early), NOTHING).greeting());
  }

  @Test
  void everyBitOfRequestWithNonceCounts() {
    Handshake connector = ofA.to(b, ADDRESS);
    Handshake acceptor = ofB.at(ADDRESS);
    handOut(ofB, ofA);
    for (int bit = 0; bit < ConnectRequest.GREETED_LENGTH * 8; bit++) {
      byte[] request = greeted(connector.connecting().early(() -> NOTHING));
      request[bit / 8] ^= (byte) (1 << bit % 8);
      assertFalse(isProven(acceptor, request), "bit " + bit);
    }
  }

  private static boolean isProven(Handshake acceptor, byte[] request) {
    try {
      return acceptor.accepting(request, NOTHING).greeting() != null;
    } catch (RdmaException e) {
      return false;
    }
  }

  @Test
  void othersPrivateDataIsNamed() {
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[0], NOTHING)).getMessage().contains("another program"));
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[56], NOTHING)).getMessage().contains("another program"));
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[] {0x56, 9, 9}, NOTHING)).getMessage().contains("version 9"));
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[] {0x56, 3, 2}, NOTHING)).getMessage()
      .contains("versions 2 to 3 of the protocol of links, and this node has versions 4 to 6"));
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[] {0x56, 9, 4}, NOTHING)).getMessage().contains("3 bytes"));
  }
}
