package io.github.vertxrdma.directory;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EntryTest {
  private static final List<FabricAddress> ADDRESSES = List.of(
    new FabricAddress("tcp", "tcp:lo", 0, EndpointAddress.of(new InetSocketAddress(InetAddress.ofLiteral("10.1.2.3"), 65000)),
      Device.Reach.NETWORK, "10.1.0.0/16"),
    new FabricAddress("tcp", "tcp:lo", 1, EndpointAddress.of(new InetSocketAddress(InetAddress.ofLiteral("fe80::1"), 1)),
      Device.Reach.NETWORK, ""),
    new FabricAddress("shm", "shm", 1, EndpointAddress.of("4711-a"), Device.Reach.HOST, "folder 2b:7"),
    new FabricAddress("efa", "efa:0", 2, EndpointAddress.of("efa", new byte[] {0, -1, 2}), Device.Reach.NETWORK, "s"));
  private static final List<DirectoryEntry> ENTRIES = List.of(
    NodeEntry.local("node-ä", -2).withControl("10.0.0.1", 7000).withSecretId("ab").withAddresses(ADDRESSES),
    new NodeEntry("b", 0, ProcessIdentity.UNKNOWN, "", 0, "", "", List.of(), ""),
    new ServiceEntry("orders/1", "b", Long.MIN_VALUE, 3, ADDRESSES, new JsonObject().put("k", 1).put("deep", new JsonObject())),
    new RegionEntry("table", "b", 7, -1, 1L << 40, Set.of(RegionAccess.READ, RegionAccess.ATOMIC), 2, RegionEntry.OWNER,
      List.of(new SealedKey("tcp", new byte[] {1, 2, 3}), new SealedKey("shm", new byte[0]))));

  @Test
  void jsonAndBytesGiveBackTheEntry() {
    for (DirectoryEntry entry : ENTRIES) {
      assertEquals(entry, DirectoryEntry.fromJson(new JsonObject(entry.toJson().encode())));
      assertEquals(entry, DirectoryEntry.fromBuffer(entry.toBuffer()));
      assertEquals(entry.key(), DirectoryEntry.fromBuffer(entry.toBuffer()).key());
      if (!(entry instanceof NodeEntry)) {
        // Fields that a later version appends are skipped. In a node's entry they follow its folder.
        assertEquals(entry, DirectoryEntry.fromBuffer(entry.toBuffer().appendLong(42)));
      }
    }
  }

  @Test
  void aNodeOfAVersionWithoutNamesHasNone() {
    NodeEntry nameless = (NodeEntry) ENTRIES.getFirst();
    NodeEntry named = nameless.withName("orders-ä");
    assertEquals(named, DirectoryEntry.fromBuffer(named.toBuffer()));
    assertEquals(named, DirectoryEntry.fromJson(named.toJson()));
    assertEquals(nameless, DirectoryEntry.fromBuffer(named.toBuffer().getBuffer(0, nameless.toBuffer().length())));
    NodeEntry placed = named.withProcess(named.process().withFolder("2b:7"));
    assertEquals(placed, DirectoryEntry.fromBuffer(placed.toBuffer()));
    assertEquals(placed, DirectoryEntry.fromBuffer(placed.toBuffer().appendLong(42)));
    assertEquals(placed, DirectoryEntry.fromJson(placed.toJson()));
    assertEquals(named, DirectoryEntry.fromBuffer(placed.toBuffer().getBuffer(0, named.toBuffer().length())));
    NodeEntry inTwo = named.withProcess(named.process().withFolder("2b:7 2b:8"));
    assertEquals(inTwo, DirectoryEntry.fromBuffer(inTwo.toBuffer()));
    assertEquals(inTwo, DirectoryEntry.fromJson(inTwo.toJson()));
    assertEquals(placed, DirectoryEntry.fromBuffer(inTwo.toBuffer().getBuffer(0, placed.toBuffer().length())));
    assertTrue(inTwo.process().sameFolder(placed.process()) && placed.process().sameFolder(inTwo.process()));
    assertFalse(inTwo.process().sameFolder(named.process().withFolder("2b:9")));
    NodeEntry placedOnly = nameless.withProcess(placed.process());
    assertEquals(placedOnly, DirectoryEntry.fromBuffer(placedOnly.toBuffer()));
    assertEquals("orders-ä (node-ä)", named.words());
    assertEquals("node-ä", nameless.words());
    assertThrows(IllegalArgumentException.class, () -> nameless.withName("two\nlines"));
  }

  @Test
  void damagedBytesAreRefusedWithoutHarm() {
    Random random = new Random(1);
    for (DirectoryEntry entry : ENTRIES) {
      Buffer whole = entry.toBuffer();
      for (int length = 0; length < whole.length(); length++) {
        Buffer part = whole.getBuffer(0, length);
        assertThrows(IllegalArgumentException.class, () -> DirectoryEntry.fromBuffer(part), entry + " cut to " + length);
      }
      for (int i = 0; i < 2000; i++) {
        byte[] bytes = whole.getBytes();
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        try {
          DirectoryEntry.fromBuffer(Buffer.buffer(bytes));
        } catch (RuntimeException e) {
          assertInstanceOf(IllegalArgumentException.class, e, () -> "one byte changed gave " + e);
        }
      }
    }
  }

  @Test
  void peersAreWrittenByHandInFewWords() {
    NodeEntry peer = (NodeEntry) DirectoryEntry.fromJson(new JsonObject("{'kind':'node','node':'a','controlHost':'10.0.0.1',"
      .replace('\'', '"') + "\"controlPort\":7000,\"addresses\":[{\"fabric\":\"tcp\",\"address\":\"10.0.0.1:7001\"}]}"));
    assertEquals("10.0.0.1:7001", peer.addresses().getFirst().address().toString());
    assertEquals(0, peer.epoch());
    String message = assertThrows(IllegalArgumentException.class, () -> FabricAddress.fromJson(
      new JsonObject().put("fabric", "tcp").put("address", "host:7"))).getMessage();
    assertTrue(message.contains("'host:7'"), message);
    assertThrows(IllegalArgumentException.class, () -> DirectoryEntry.fromJson(new JsonObject().put("kind", "x")));
    assertThrows(IllegalArgumentException.class, () -> DirectoryEntry.fromJson(new JsonObject().put("kind", "node")));
  }

  @Test
  void optionsSurviveJson() {
    DirectoryOptions options = new DirectoryOptions().setType("same-host").setGroup("g").addEntry(ENTRIES.getFirst());
    assertEquals(options.toJson(), new DirectoryOptions(options.toJson()).toJson());
    assertEquals(options.toJson(), new DirectoryOptions(options).toJson());
    assertThrows(IllegalArgumentException.class, () -> options.setGroup("../x"));
    assertEquals("invalid directory group 'Größe': use 1 to 64 characters of A to Z, a to z, 0 to 9, '.', '_' and '-', and do not "
      + "begin with '.'",
      assertThrows(IllegalArgumentException.class, () -> options.setGroup("Größe")).getMessage());
  }

  @Test
  void thisProcessKnowsWhereItRuns() {
    ProcessIdentity self = ProcessIdentity.current();
    assertTrue(self.sameProcess(self));
    assertEquals(ProcessHandle.current().pid(), self.pid());
    assertFalse(NodeEntry.local("a", 1).version().contains("$"), "the build puts the version in");
  }
}
