package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.ConnectAccept;
import io.github.vertxrdma.impl.link.ConnectRequest;
import io.github.vertxrdma.impl.link.Handshake;
import io.github.vertxrdma.impl.link.LinkVersions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;

/** Handshake that proves the cluster secret. A connect request with an announced nonce contains the proof already. Thread-safe. */
public final class SecretHandshake implements Handshake {
  private static final byte[] NONE = {};
  private static final SecureRandom RANDOM = new SecureRandom();

  private final ClusterSecret secret;
  private final Supplier<NodeEntry> self;
  private final RandomGenerator random;
  private final NodeEntry peer;
  private final byte[] binding;
  private final AnnouncedNonces nonces;

  private enum Role { CONNECTOR, ACCEPTOR }

  /** @param self called for each connection, because a rejoin changes the epoch */
  public SecretHandshake(ClusterSecret secret, Supplier<NodeEntry> self) {
    this(secret, self, RANDOM);
  }

  public SecretHandshake(ClusterSecret secret, Supplier<NodeEntry> self, RandomGenerator random) {
    this(secret, self, random, null, NONE, null);
  }

  private SecretHandshake(ClusterSecret secret, Supplier<NodeEntry> self, RandomGenerator random, NodeEntry peer, byte[] binding,
    AnnouncedNonces nonces) {
    this.secret = secret;
    this.self = self;
    this.random = random;
    this.peer = peer;
    this.binding = binding;
    this.nonces = nonces;
  }

  /** Returns the handshake of connections to a peer at an address, which share nonces. The peer's epoch must match. */
  public SecretHandshake to(NodeEntry peer, FabricAddress address) {
    return new SecretHandshake(secret, self, random, peer, binding(address), new AnnouncedNonces());
  }

  public SecretHandshake at(FabricAddress address) {
    return new SecretHandshake(secret, self, random, null, binding(address), new AnnouncedNonces());
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
      private ConnectAccept accepted;

      @Override
      public byte[] request() {
        return request.encode();
      }

      @Override
      public EarlyRequest early() {
        expected = nonces == null ? null : nonces.take();
        return expected == null ? null : new EarlyRequest(Cursor.writing(ConnectRequest.GREETED_LENGTH).bytes(request.encode())
          .bytes(expected.nonce()).toArray(), proof(secret, Role.CONNECTOR, request, expected, binding, NONE));
      }

      @Override
      public byte[] confirm(byte[] accept, byte[] channel) {
        accepted = ConnectAccept.decode(accept);
        check(request, accepted, channel);
        return expected != null && Arrays.equals(expected.nonce(), accepted.nonce()) ? null
          : proof(secret, Role.CONNECTOR, request, accepted, binding, channel);
      }

      @Override
      public void announced(long high, long low) {
        if (nonces != null && (high | low) != 0) {
          nonces.keep(new ConnectAccept(accepted.version(), accepted.epoch(), accepted.nodeTag(),
            Cursor.writing(ConnectRequest.NONCE_LENGTH).i64(high).i64(low).toArray(), new byte[ConnectAccept.PROOF_LENGTH]));
        }
      }
    };
  }

  @Override
  public Accepting accepting(byte[] bytes, byte[] channel) {
    NodeEntry node = self.get();
    ConnectRequest request = ConnectRequest.decode(bytes);
    byte[] bound = (request.flags() & ConnectRequest.ADDRESS_BOUND) != 0 ? binding : NONE;
    byte[] announced = nonces == null ? null : nonces.redeem(bytes, node.epoch());
    ConnectAccept unproven = new ConnectAccept(LinkVersions.choose(request.versions()), node.epoch(), tag(node.nodeId()),
      announced == null ? nonce() : announced, new byte[ConnectAccept.PROOF_LENGTH]);
    ConnectAccept accept = new ConnectAccept(unproven.version(), unproven.epoch(), unproven.nodeTag(), unproven.nonce(),
      proof(secret, Role.ACCEPTOR, request, unproven, bound, channel));
    return new Accepting() {
      @Override
      public byte[] accept() {
        return accept.encode();
      }

      @Override
      public byte[] greeting() {
        return announced == null ? null : Arrays.copyOfRange(bytes, ConnectRequest.GREETED_LENGTH, bytes.length);
      }

      @Override
      public Nonce announce() {
        // Issues no nonce if the fabric reports a channel binding, which a proof in the request cannot cover.
        return nonces == null || channel.length > 0 ? Accepting.super.announce() : nonces.issue(random, node.epoch());
      }

      @Override
      public void verify(byte[] proof, String nodeId, long epoch) {
        boolean proven = isProof(proof, Role.CONNECTOR, request, accept, bound, channel);
        if (proven && tag(nodeId) == request.nodeTag() && epoch != request.epoch()) {
          throw new RdmaException(RdmaException.Reason.UNREACHABLE, "node " + nodeId + " has rejoined its cluster during the handshake");
        }
        if (!proven || tag(nodeId) != request.nodeTag()) {
          throw new RdmaException(RdmaException.Reason.NOT_AUTHENTIC, "a peer that calls itself node " + nodeId
            + " does not know the cluster secret of node " + node.nodeId() + "; " + remedy());
        }
      }
    };
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

  private byte[] nonce() {
    byte[] nonce = new byte[ConnectRequest.NONCE_LENGTH];
    random.nextBytes(nonce);
    return nonce;
  }

  private static long tag(String nodeId) {
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

  /** Single-use nonces for later connect requests, issued by a listener or received by a connector. Thread-safe. */
  static final class AnnouncedNonces {
    static final int MOST_ISSUED = 1024;
    static final int MOST_KEPT = 64;

    /** Issued nonces, oldest first, each with the node's epoch at that time. */
    private final Map<Handshake.Nonce, Long> issued = new LinkedHashMap<>();
    /** Received nonces, newest first. The newest is used first, because the listener forgets the oldest. */
    private final ArrayDeque<ConnectAccept> kept = new ArrayDeque<>();

    synchronized Handshake.Nonce issue(RandomGenerator random, long epoch) {
      Handshake.Nonce nonce = new Handshake.Nonce(random.nextLong(), random.nextLong());
      issued.put(nonce, epoch);
      if (issued.size() > MOST_ISSUED) {
        issued.remove(issued.keySet().iterator().next());
      }
      return nonce;
    }

    /** Returns the nonce in a connect request, and invalidates it; null if there is none of this epoch. */
    synchronized byte[] redeem(byte[] request, long epoch) {
      if (request.length <= ConnectRequest.GREETED_LENGTH) {
        return null;
      }
      byte[] nonce = Arrays.copyOfRange(request, ConnectRequest.LENGTH, ConnectRequest.GREETED_LENGTH);
      Cursor in = Cursor.reading("a nonce", nonce);
      Long of = issued.remove(new Handshake.Nonce(in.i64(), in.i64()));
      return of == null || of != epoch ? null : nonce;
    }

    synchronized void keep(ConnectAccept announced) {
      kept.push(announced);
      if (kept.size() > MOST_KEPT) {
        kept.removeLast();
      }
    }

    synchronized ConnectAccept take() {
      return kept.poll();
    }
  }
}
