package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A peer receives all entries, however many there are and however slowly it reads. */
class EntrySenderTest {
  private static final int MANY = 20_000;
  private static final int LONGEST_MESSAGE = 200_000;

  private final NodeEntry node = NodeEntry.local("a", 7);
  private final DirectoryCache peer = new DirectoryCache();
  private final PeerEntries told = new PeerEntries("a", peer);
  private final ArrayDeque<Promise<Void>> underWay = new ArrayDeque<>();
  private final EntrySender sender = new EntrySender("b", this::send);
  private int messages;

  private Future<Void> send(Buffer message) {
    assertTrue(underWay.isEmpty(), "one at a time");
    assertTrue(message.length() < LONGEST_MESSAGE, message.length() + " bytes");
    messages++;
    told.receive(message);
    Promise<Void> taken = Promise.promise();
    underWay.add(taken);
    return taken.future();
  }

  private void letAllPass() {
    while (!underWay.isEmpty()) {
      underWay.poll().complete();
    }
  }

  private ServiceEntry service(int i, int state) {
    return new ServiceEntry("a service with a name that takes some bytes "
      + i, "a", 7, 0, List.of(), new JsonObject().put("state", state));
  }

  private List<DirectoryEntry> entries(int count) {
    List<DirectoryEntry> entries = new ArrayList<>(List.of(node));
    for (int i = 0; i < count; i++) {
      entries.add(service(i, 0));
    }
    return entries;
  }

  @Test
  void allArriveOneAtATimeAndWhatIsGoneGoes() {
    // The peer has entries of an earlier connection, the last of which were withdrawn since.
    entries(MANY + 100).forEach(peer::put);
    sender.start(entries(MANY));
    letAllPass();
    assertEquals(entries(MANY).size(), 1 + peer.all(ServiceEntry.class).size());
  }

  @Test
  void onlyLastStateOfAChangingEntryIsSent() {
    sender.start(entries(MANY));
    for (int state = 1; state <= 3; state++) {
      for (int i = 0; i < MANY; i++) {
        sender.add(service(i, state));
      }
    }
    sender.remove(service(0, 0).key());
    letAllPass();
    assertEquals(MANY - 1, peer.all(ServiceEntry.class).size());
    assertTrue(peer.all(ServiceEntry.class).stream().allMatch(service -> service.metadata().getInteger("state") == 3));
    assertTrue(messages < MANY + 100, messages + " messages");
    sender.add(service(0, 4));
    letAllPass();
    assertEquals(MANY, peer.all(ServiceEntry.class).size());
  }

  @Test
  void changesBeforeItsBeginningAreNotMissed() {
    sender.add(service(1, 1));
    sender.remove(service(2, 0).key());
    assertEquals(0, messages);
    sender.start(entries(3));
    letAllPass();
    assertEquals(List.of(service(0, 0), service(1, 1)), peer.all(ServiceEntry.class));
  }

  @Test
  void anEntryThatIsTooLongIsNamedAndHoldsUpNoOther() {
    try (LogLines log = new LogLines(EntrySender.class)) {
      sender.start(entries(1));
      underWay.poll().complete();
      underWay.poll().complete();
      underWay.poll().fail(new IllegalArgumentException("cannot send a control message of 1048577 bytes: at most 1048576 are allowed"));
      assertEquals(List.of("Node b did not get the directory entry '" + service(0, 0).key() + "': cannot send a control message of "
        + "1048577 bytes: at most 1048576 are allowed"),
        log.lines());
    }
    sender.add(service(1, 0));
    assertEquals(4, messages);
  }

  @Test
  void oneWhoseConnectionIsOverTellsNoMore() {
    sender.start(entries(10));
    underWay.poll().fail("the peer is gone");
    sender.add(service(0, 1));
    assertEquals(1, messages);
  }
}
