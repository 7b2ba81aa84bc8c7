package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.ConnectAccept;
import io.github.vertxrdma.impl.link.ConnectRequest;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Handshake;
import io.github.vertxrdma.impl.link.LinkVersions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;

/** Handshake that proves the cluster secret. A connect request with a nonce of the acceptor contains the proof already. Thread-safe. */
public final class SecretHandshake implements Handshake {
  private static final byte[] NONE = {};
  private static final int PROOF_LENGTH = 32;
  private static final byte[] NO_PROOF = new byte[ConnectAccept.PROOF_LENGTH];
  private static final SecureRandom RANDOM = new SecureRandom();

  private final ClusterSecret secret;
  private final Supplier<NodeEntry> self;
  private final RandomGenerator random;
  private final NodeEntry peer;
  private final byte[] binding;
  /** Nonces of this node and its peers, or null if proofs in requests are not used. */
  private final RequestNonces nonces;

  private enum Role { CONNECTOR, ACCEPTOR, OWNER }

  /** @param self called for each connection, because a rejoin changes the epoch */
  public SecretHandshake(ClusterSecret secret, Supplier<NodeEntry> self) {
    this(secret, self, RANDOM);
  }

  public SecretHandshake(ClusterSecret secret, Supplier<NodeEntry> self, RandomGenerator random) {
    this(secret, self, random, null, NONE, new RequestNonces(random));
  }

  private SecretHandshake(ClusterSecret secret, Supplier<NodeEntry> self, RandomGenerator random, NodeEntry peer, byte[] binding,
    RequestNonces nonces) {
    this.secret = secret;
    this.self = self;
    this.random = random;
    this.peer = peer;
    this.binding = binding;
    this.nonces = nonces;
  }

  /** Hands out nonces to peers over their control connections, and receives those of the peers. */
  public SecretHandshake attach(ControlLinks control) {
    nonces.attach(control);
    return this;
  }

  RequestNonces nonces() {
    return nonces;
  }

  /** Returns the handshake of connections to a peer at an address. The peer's epoch must match. */
  public SecretHandshake to(NodeEntry peer, FabricAddress address) {
    if (peer.nodeId().equals(self.get().nodeId())) {
      nonces.own(peer.nodeId());
    }
    return new SecretHandshake(secret, self, random, peer, binding(address), nonces);
  }

  public SecretHandshake at(FabricAddress address) {
    return new SecretHandshake(secret, self, random, null, binding(address), nonces);
  }

  /** Returns the handshake of endpoints whose descriptions were exchanged. Proofs cover them. @param peer node id of the other side */
  public SecretHandshake between(String peer, byte[] connector, byte[] acceptor) {
    return new SecretHandshake(secret, self, random, NodeEntry.local(peer, 0),
      Cursor.writing(8 + connector.length + acceptor.length).block(4, connector).block(4, acceptor).toArray(), null);
  }

  @Override
  public Connecting connecting() {
    NodeEntry node = self.get();
    ConnectRequest request = new ConnectRequest(LinkVersions.SPOKEN, binding.length == 0 ? 0
      : ConnectRequest.ADDRESS_BOUND, random.nextLong(), node.epoch(), tag(node.nodeId()), nonce());
    return new Connecting() {
      private ConnectAccept expected;

      @Override
      public byte[] request() {
        return request.encode();
      }

      @Override
      public EarlyRequest early(Supplier<byte[]> channel) {
        RequestNonces.Next next = nonces == null || peer == null ? null : nonces.next(peer);
        if (next == null) {
          return null;
        }
        expected = new ConnectAccept(next.version(), next.epoch(), tag(peer.nodeId()), next.nonce(), NO_PROOF);
        return new EarlyRequest(Cursor.writing(ConnectRequest.GREETED_LENGTH).bytes(request.encode()).bytes(next.nonce()).toArray(),
          proof(secret, Role.CONNECTOR, request, expected, binding, channel.get()));
      }

      @Override
      public byte[] confirm(byte[] accept, byte[] channel) {
        ConnectAccept accepted = ConnectAccept.decode(accept);
        check(request, accepted, channel);
        if (expected != null && Arrays.equals(expected.nonce(), accepted.nonce())) {
          return null;
        }
        byte[] proof = proof(secret, Role.CONNECTOR, request, accepted, binding, channel);
        byte[] number = nonces == null || accepted.version() < LinkVersions.PROVES_ID ? NONE : nonces.numberFrom(accepted.nodeTag());
        return number.length == 0 ? proof : append(proof, proof(secret, Role.OWNER, request, accepted, binding, append(channel, number)));
      }
    };
  }

  @Override
  public Accepting accepting(byte[] bytes, byte[] channel) {
    NodeEntry node = self.get();
    ConnectRequest request = ConnectRequest.decode(bytes);
    byte[] bound = (request.flags() & ConnectRequest.ADDRESS_BOUND) != 0 ? binding : NONE;
    ConnectAccept greeted = acceptOf(request, node, bytes.length <= ConnectRequest.GREETED_LENGTH ? new byte[ConnectRequest.NONCE_LENGTH]
      : Arrays.copyOfRange(bytes, ConnectRequest.LENGTH, ConnectRequest.GREETED_LENGTH), NO_PROOF);
    byte[] greeting = nonces != null && nonces.isUnused(request.nodeTag(), greeted.nonce())
      ? provenGreeting(bytes, request, greeted, bound, channel) : null;
    ConnectAccept accept = greeting != null ? greeted : acceptOf(request, node, nonce(), NO_PROOF);
    if (nonces != null && request.nodeTag() == tag(node.nodeId())) {
      nonces.own(node.nodeId());
    }
    byte[] number = nonces == null ? NONE : nonces.numberOf(request.nodeTag());
    return new Accepting() {
      @Override
      public byte[] accept() {
        return acceptOf(request, node, accept.nonce(), proof(secret, Role.ACCEPTOR, request, accept, bound, channel)).encode();
      }

      @Override
      public byte[] greeting() {
        return greeting;
      }

      @Override
      public void verify(byte[] proof, String nodeId, long epoch) {
        byte[] first = Arrays.copyOf(proof, Math.min(proof.length, PROOF_LENGTH));
        boolean proven = isProof(first, Role.CONNECTOR, request, accept, bound, channel) && (peer == null || peer.nodeId().equals(nodeId));
        if (proven && tag(nodeId) == request.nodeTag() && epoch != request.epoch()) {
          throw new RdmaException(RdmaException.Reason.UNREACHABLE, "node " + nodeId + " has rejoined its cluster during the handshake");
        }
        if (!proven || tag(nodeId) != request.nodeTag()) {
          throw new RdmaException(RdmaException.Reason.NOT_AUTHENTIC, "a peer that calls itself node " + nodeId
            + " does not know the cluster secret of node " + node.nodeId() + "; " + remedy());
        }
        byte[] second = Arrays.copyOfRange(proof, first.length, proof.length);
        if (number.length > 0 && !isOwner(second, number) && !isOwner(second, nonces.numberOf(request.nodeTag()))) {
          throw new RdmaException(RdmaException.Reason.TIMEOUT, "node " + nodeId + " is connected, and this peer has not proved that it is "
            + "that node. Give each node its own id (DirectoryOptions.setNodeId)");
        }
      }

      /** The control connection, and with it the number, may have been replaced since the request. */
      private boolean isOwner(byte[] proof, byte[] known) {
        return isProof(proof, Role.OWNER, request, accept, bound, append(channel, known));
      }
    };
  }

  private static ConnectAccept acceptOf(ConnectRequest request, NodeEntry node, byte[] nonce, byte[] proof) {
    return new ConnectAccept(LinkVersions.choose(request.versions()), node.epoch(), tag(node.nodeId()), nonce, proof);
  }

  /** Returns the greeting in a request, and invalidates the nonce, if the greeting proves the secret; otherwise null. */
  private byte[] provenGreeting(byte[] bytes, ConnectRequest request, ConnectAccept accept, byte[] bound, byte[] channel) {
    byte[] greeting = Arrays.copyOfRange(bytes, ConnectRequest.GREETED_LENGTH, bytes.length);
    try {
      Greeting read = Greeting.decode(greeting);
      boolean proven = tag(read.nodeId()) == request.nodeTag() && read.epoch() == request.epoch()
        && isProof(read.proof(), Role.CONNECTOR, request, accept, bound, channel);
      // Invalidates the nonce only now, because anybody who has seen a nonce could send a request with it.
      return proven && nonces.use(request.nodeTag(), accept.nonce()) ? greeting : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private void check(ConnectRequest request, ConnectAccept accept, byte[] channel) {
    String name = peer == null ? "the peer" : "node " + peer.nodeId();
    if (!isProof(accept.proof(), Role.ACCEPTOR, request, accept, binding, channel)) {
      throw new RdmaException(RdmaException.Reason.NOT_AUTHENTIC, name + " does not know the cluster secret of node "
        + self.get().nodeId() + "; " + remedy());
    }
    if (peer != null && (tag(peer.nodeId()) != accept.nodeTag() || peer.epoch() != 0 && peer.epoch() != accept.epoch())) {
      throw new RdmaException(RdmaException.Reason.UNREACHABLE, "another node answers at the address of node " + peer.nodeId() + ", "
        + "which has restarted or left. Look it up again when the directory is up to date");
    }
  }

  private boolean isProof(byte[] given, Role role, ConnectRequest request, ConnectAccept accept, byte[] bound, byte[] channel) {
    return secret.accepted().stream().anyMatch(each -> MessageDigest.isEqual(proof(each, role, request, accept, bound, channel), given));
  }

  /** Returns an HMAC over the role and what both nodes know. A peer cannot return this node's proof, since the roles differ. */
  private static byte[] proof(ClusterSecret secret, Role role, ConnectRequest request, ConnectAccept accept, byte[] bound, byte[] channel) {
    Mac mac = secret.mac("handshake 1");
    mac.update(role.name().getBytes(StandardCharsets.US_ASCII));
    mac.update((byte) 0);
    mac.update(request.encode());
    mac.update(accept.encode(), 0, ConnectAccept.LENGTH - ConnectAccept.PROOF_LENGTH);
    mac.update(Cursor.writing(4 + bound.length).block(4, bound).toArray());
    mac.update(channel);
    byte[] proof = mac.doFinal();
    return role == Role.ACCEPTOR ? Arrays.copyOf(proof, ConnectAccept.PROOF_LENGTH) : proof;
  }

  private static byte[] append(byte[] first, byte[] second) {
    return Cursor.writing(first.length + second.length).bytes(first).bytes(second).toArray();
  }

  private byte[] nonce() {
    byte[] nonce = new byte[ConnectRequest.NONCE_LENGTH];
    random.nextBytes(nonce);
    return nonce;
  }

  static long tag(String nodeId) {
    try {
      return Cursor.reading("a digest", MessageDigest.getInstance("SHA-256").digest(nodeId.getBytes(StandardCharsets.UTF_8))).i64();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private String remedy() {
    return "give all nodes the same secret (" + ClusterSecret.FILE_VARIABLE + "); this node has the " + secret;
  }

  private static byte[] binding(FabricAddress address) {
    return Cursor.writing(64).text(4, address.fabric()).text(4, address.address().format()).block(4, address.address().bytes()).toArray();
  }
}
