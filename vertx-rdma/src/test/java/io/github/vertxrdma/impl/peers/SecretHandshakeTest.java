package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.ConnectAccept;
import io.github.vertxrdma.impl.link.ConnectRequest;
import io.github.vertxrdma.impl.link.Handshake;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SecretHandshakeTest {
  private static final int PRIVATE_DATA = 56;
  private static final byte[] GREETING = {1, 2, 3};
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
  void noNonceIsAnnouncedIfFabricReportsUsers() {
    Handshake.Connecting connecting = ofA.to(b, ADDRESS).connecting();
    Handshake.Accepting accepting = ofB.at(ADDRESS).accepting(connecting.request(), USERS);
    assertEquals(new Handshake.Nonce(0, 0), accepting.announce());
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

  private static void announce(Handshake connector, Handshake acceptor) {
    Handshake.Connecting connecting = connector.connecting();
    Handshake.Accepting accepting = acceptor.accepting(connecting.request(), NOTHING);
    accepting.verify(connecting.confirm(accepting.accept(), NOTHING), "node-a", 11);
    Handshake.Nonce nonce = accepting.announce();
    connecting.announced(nonce.high(), nonce.low());
  }

  private static byte[] greeted(Handshake.EarlyRequest early) {
    byte[] request = Arrays.copyOf(early.request(), early.request().length + GREETING.length);
    System.arraycopy(GREETING, 0, request, early.request().length, GREETING.length);
    return request;
  }

  @Test
  void connectorProvesItselfWithRequestIfNonceWasAnnounced() {
    Handshake connector = ofA.to(b, ADDRESS);
    Handshake acceptor = ofB.at(ADDRESS);
    assertNull(connector.connecting().early(), "no nonce was announced");
    announce(connector, acceptor);
    Handshake.Connecting connecting = connector.connecting();
    Handshake.EarlyRequest early = connecting.early();
    Handshake.Accepting accepting = acceptor.accepting(greeted(early), NOTHING);
    assertArrayEquals(GREETING, accepting.greeting());
    accepting.verify(early.proof(), "node-a", 11);
    assertNull(connecting.confirm(accepting.accept(), NOTHING), "the acceptor has the proof");
    assertNull(connector.connecting().early(), "a nonce serves one request");
    Handshake.Nonce nonce = accepting.announce();
    connecting.announced(nonce.high(), nonce.low());
    assertNotNull(connector.connecting().early());
  }

  @Test
  void repeatedRequestWithNonceProvesNothing() {
    Handshake connector = ofA.to(b, ADDRESS);
    Handshake acceptor = ofB.at(ADDRESS);
    announce(connector, acceptor);
    Handshake.Connecting connecting = connector.connecting();
    Handshake.EarlyRequest early = connecting.early();
    acceptor.accepting(greeted(early), NOTHING);
    Handshake.Accepting again = acceptor.accepting(greeted(early), NOTHING);
    assertNull(again.greeting());
    assertThrows(RdmaException.class, () -> again.verify(early.proof(), "node-a", 11));
    // A connector whose nonce the acceptor does not know proves itself in its first frame.
    again.verify(connecting.confirm(again.accept(), NOTHING), "node-a", 11);
  }

  @Test
  void nonceIsOfOneListenerEpochAndSecret() {
    Handshake acceptor = ofB.at(ADDRESS);
    Handshake connector = ofA.to(b, ADDRESS);
    announce(connector, acceptor);
    assertNull(ofB.at(ADDRESS).accepting(greeted(connector.connecting().early()), NOTHING).greeting(), "another listener");
    long[] epoch = {22};
    acceptor = new SecretHandshake(secret, () -> b.withEpoch(epoch[0])).at(ADDRESS);
    announce(connector, acceptor);
    epoch[0]++;
    assertNull(acceptor.accepting(greeted(connector.connecting().early()), NOTHING).greeting(), "another epoch");
    epoch[0]--;
    announce(connector, acceptor);
    byte[] known = greeted(connector.connecting().early());
    Handshake.EarlyRequest forged = new SecretHandshake(other, () -> a).to(b, ADDRESS).connecting().early();
    assertNull(forged, "a stranger knows no nonce");
    Handshake.Accepting accepting = acceptor.accepting(known, NOTHING);
    assertThrows(RdmaException.class, () -> accepting.verify(new byte[32], "node-a", 11));
  }

  @Test
  void everyBitOfRequestWithNonceCounts() {
    Handshake connector = ofA.to(b, ADDRESS);
    Handshake acceptor = ofB.at(ADDRESS);
    for (int bit = 0; bit < ConnectRequest.GREETED_LENGTH * 8; bit++) {
      announce(connector, acceptor);
      Handshake.EarlyRequest early = connector.connecting().early();
      byte[] request = greeted(early);
      request[bit / 8] ^= (byte) (1 << bit % 8);
      assertThrows(RdmaException.class, () -> acceptor.accepting(request, NOTHING).verify(early.proof(), "node-a", 11), "bit " + bit);
    }
  }

  @Test
  void oldestNonceIsForgottenIfTooManyAreUnused() {
    Handshake acceptor = ofB.at(ADDRESS);
    Handshake first = ofA.to(b, ADDRESS);
    announce(first, acceptor);
    for (int i = 1; i < SecretHandshake.AnnouncedNonces.MOST_ISSUED; i++) {
      announce(ofA.to(b, ADDRESS), acceptor);
    }
    Handshake.Connecting connecting = first.connecting();
    byte[] request = greeted(connecting.early());
    announce(ofA.to(b, ADDRESS), acceptor);
    Handshake.Accepting accepting = acceptor.accepting(request, NOTHING);
    assertNull(accepting.greeting());
    accepting.verify(connecting.confirm(accepting.accept(), NOTHING), "node-a", 11);
  }

  @Test
  void othersPrivateDataIsNamed() {
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[0], NOTHING)).getMessage().contains("another program"));
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[56], NOTHING)).getMessage().contains("another program"));
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[] {0x56, 9, 9}, NOTHING)).getMessage().contains("version 9"));
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[] {0x56, 3, 2}, NOTHING)).getMessage()
      .contains("versions 2 to 3 of the protocol of links, and this node has versions 4 to 5"));
    assertTrue(assertThrows(RdmaException.class, () -> ofB.accepting(new byte[] {0x56, 9, 4}, NOTHING)).getMessage().contains("3 bytes"));
  }
}
