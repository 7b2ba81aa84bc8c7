package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MappedReceiveTest {
  private static final EndpointAddress AT = EndpointAddress.of("node");
  private static final long FIRST = 1 << 20;

  private final FakeFabric fabric = new FakeFabric();
  private final Arena arena = Arena.ofShared();
  @TempDir
  Path folder;
  private FileChannel file;
  private MemorySegment mapped;
  private Node node;
  private Node peer;
  private Endpoint end;
  private long sent = FIRST;

  @BeforeEach
  void connect() throws Exception {
    file = FileChannel.open(folder.resolve("mapped"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, Node.SLOT, arena);
    node = new Node(fabric, mapped);
    peer = new Node(fabric);
    // The request is in the file, since it is the first message. Its receive is then posted again behind the others.
    end = peer.connect(node, AT);
  }

  @AfterEach
  void close() throws Exception {
    file.close();
    arena.close();
  }

  /** Sends messages until an unpolled one is in the file. */
  private void fillMapped() {
    do {
      node.poll();
      assertEquals(Status.OK, peer.send(end, ++sent));
      peer.poll();
    } while (Node.value(mapped.toArray(ValueLayout.JAVA_BYTE)) != sent);
  }

  @Test
  void messagesInFileAreReceived() {
    fillMapped();
    long last = sent;
    Node.until(() -> node.numbers.size() == last - FIRST, node, peer);
    assertEquals(List.of(), node.flushed);
  }

  @Test
  void messageInTruncatedFileFailsItsReceiveAndEndsItsConnectionAlone() throws Exception {
    Node other = new Node(fabric);
    Endpoint beside = other.connect(node, AT);
    fillMapped();
    int before = node.numbers.size();
    file.truncate(0);
    assertEquals(Status.OK, other.send(beside, 1));
    assertEquals(Status.OK, node.send(node.connected.getLast(), 2));
    node.poll();
    assertEquals(List.of(0), node.flushed);
    assertEquals(List.of(2L), node.ended);
    assertEquals(before + 1, node.numbers.size());
    // The message was lost, so the next one finds a gap.
    assertEquals(Status.OK, peer.send(end, 3));
    Node.until(() -> !node.disconnected.isEmpty(), node, peer, other);
    assertTrue(node.causes.getFirst().getMessage().contains("the file of the receive was truncated"), node.causes::toString);
    assertEquals(Status.OK, other.send(beside, 4));
    Node.until(() -> node.numbers.getLast().value() == 4, node, other);
    assertEquals(EndpointState.CONNECTED, beside.state());
  }
}
