package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A process with many node ids sends no more entries than the limit of its network. */
class EntryBytesTest {
  private static final int ENTRY = 1_000;

  private final DirectoryCache cache = new DirectoryCache();
  private final EntryBytes bytes = new EntryBytes(10 * ENTRY);
  private final Object source = source("10.0.0.1");

  private static Object source(String address) {
    return EntryBytes.source(new InetSocketAddress(InetAddress.ofLiteral(address), 1));
  }

  private PeerEntries entries(String nodeId, Object of) {
    return new PeerEntries(nodeId, cache, change -> bytes.add(of, change));
  }

  private static ServiceEntry service(String nodeId, int number) {
    ServiceEntry empty = new ServiceEntry("service " + number, nodeId, 7, 0, List.of(), new JsonObject().put("of", ""));
    return new ServiceEntry("service " + number, nodeId, 7, 0, List.of(),
      new JsonObject().put("of", "x".repeat(ENTRY - EntrySender.addition(empty).length())));
  }

  private static void fill(PeerEntries entries, String nodeId, int count) {
    for (int i = 0; i < count; i++) {
      entries.receive(EntrySender.addition(service(nodeId, i)));
    }
  }

  @Test
  void nodesOfOneNetworkShareALimit() {
    PeerEntries first = entries("first", source);
    PeerEntries second = entries("second", source);
    fill(first, "first", 6);
    String refusal = assertThrows(IllegalArgumentException.class, () -> fill(second, "second", 6)).getMessage();
    assertTrue(refusal.contains("of that network would have " + 11 * ENTRY + " bytes, more than the allowed " + 10 * ENTRY), refusal);
    fill(entries("other", source("10.0.0.2")), "other", 10);
    // Replaced and removed entries make room, and so does the end of a node.
    fill(first, "first", 6);
    first.receive(EntrySender.removal(service("first", 0).key()));
    fill(second, "second", 5);
    assertThrows(IllegalArgumentException.class, () -> fill(second, "second", 6));
    first.clear();
    fill(second, "second", 10);
    second.release();
    fill(entries("third", source), "third", 10);
  }

  @Test
  void networksAreDistinguished() {
    assertEquals(source, source("10.0.0.1"));
    assertNotEquals(source, source("10.0.0.2"));
    assertEquals(source("2001:db8::1"), source("2001:db8::2"));
    assertEquals(source("127.0.0.1"), source("127.0.0.2"));
    assertEquals(source("::1"), EntryBytes.source(UnixDomainSocketAddress.of("/a")));
    assertEquals(EntryBytes.source(UnixDomainSocketAddress.of("/a")), EntryBytes.source(UnixDomainSocketAddress.of("/b")));
  }
}
