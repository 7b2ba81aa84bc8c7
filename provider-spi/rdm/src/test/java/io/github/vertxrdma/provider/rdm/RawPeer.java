package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Peer that sends messages which a test chooses, and follows no protocol by itself. */
final class RawPeer {
  static final int TAG = 99;

  final Node node;
  final EndpointAddress address;
  final long id;
  private final FakeFabric fabric;
  private final EndpointAddress of;
  private final List<byte[]> mail = new ArrayList<>();
  /** Id of the connection at the node. */
  long connection;
  /** Versions in the last message of this layer. */
  VersionRange versions;
  int tag;

  /** @param of address at which the node listens */
  RawPeer(Node node, EndpointAddress of) {
    this.node = node;
    this.of = of;
    fabric = node.fabric;
    // Random as in the product: a changed message of one peer must not be valid for a later one.
    id = fabric.random.nextLong();
    address = EndpointAddress.of("raw-" + Long.toHexString(id));
    fabric.mailboxes.put(address, mail);
  }

  FakeFabric.FakeEndpoint endpoint() {
    return fabric.endpoints.get(of);
  }

  void send(byte[] bytes) {
    endpoint().inject(bytes);
    settle();
  }

  /** Sends a message of any type, with the fields of the present connection. */
  void send(MessageType type) {
    switch (type) {
      case DATA -> data(0);
      case REQ -> request(address);
      default -> send(new ControlMessage(type, ControlMessage.VERSIONS, connection, tag,
        type == MessageType.REJ || type == MessageType.REFUSE ? 0 : id, 1,
        type == MessageType.DREQ ? 3 : TAG, null, new byte[] {4}).encode());
    }
  }

  /** Sends a request with another sender's address. */
  void request(EndpointAddress from) {
    request(ControlMessage.VERSIONS, from);
  }

  void request(VersionRange spoken, EndpointAddress from) {
    send(new ControlMessage(MessageType.REQ, spoken, 0, 0, id, 1, TAG, from, new byte[] {1}).encode());
  }

  byte[] dataBytes(int sequence) {
    return ByteBuffer.allocate(RdmLayer.PREFIX + 8).putLong(connection)
      .putLong(ControlMessage.dataWord(ControlMessage.VERSIONS.highest(), tag, sequence)).putLong(sequence)
      .array();
  }

  void data(int sequence) {
    send(dataBytes(sequence));
  }

  void settle() {
    for (int i = 0; i < 4; i++) {
      node.poll();
    }
  }

  /** Returns the node's endpoint that it accepted last. */
  Endpoint end() {
    return node.accepted.getLast();
  }

  /** Returns the messages since the last call. */
  List<MessageType> take() {
    List<MessageType> types = new ArrayList<>();
    for (byte[] bytes : mail) {
      types.add(MessageType.of(bytes[8]));
      ControlMessage message = ControlMessage.decode(MemorySegment.ofArray(bytes), 0, bytes.length);
      versions = message == null ? null : message.versions();
      if (message != null && (message.type() == MessageType.REQ || message.type() == MessageType.REP)) {
        connection = message.sender();
        tag = message.number();
      }
    }
    mail.clear();
    return types;
  }

  boolean hasMail() {
    return !mail.isEmpty();
  }

  /** Requests a connection, which the listener accepts. */
  RawPeer requested() {
    send(MessageType.REQ);
    if (!take().equals(List.of(MessageType.REP))) {
      throw new AssertionError("not accepted");
    }
    return this;
  }

  RawPeer established() {
    requested();
    send(MessageType.RTU);
    return this;
  }
}
