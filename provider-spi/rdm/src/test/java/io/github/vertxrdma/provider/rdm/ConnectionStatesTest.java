package io.github.vertxrdma.provider.rdm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Compares the reaction to each message in each state with the table of the protocol in the docs, in the code and on the wire. */
@Timeout(60)
class ConnectionStatesTest {
  private static final Path PAGE = Path.of("../../docs/protocol.adoc");
  private static final EndpointAddress AT = EndpointAddress.of("node");

  private final Map<RdmConnectionState, Runnable> ways = new EnumMap<>(RdmConnectionState.class);
  private Node node;
  private Node honest;
  private Endpoint honestEnd;
  private RawPeer peer;
  private Endpoint end;

  ConnectionStatesTest() {
    ways.put(RdmConnectionState.REQ_SENT, () -> {
      end = node.connect(peer.address, 10_000);
      assertEquals(List.of(MessageType.REQ), peer.take());
    });
    ways.put(RdmConnectionState.REP_SENT, () -> end = peer.requested().end());
    ways.put(RdmConnectionState.ESTABLISHED, () -> end = peer.established().end());
    ways.put(RdmConnectionState.DRAINING, () -> {
      end = peer.established().end();
      peer.send(MessageType.DREQ);
    });
    ways.put(RdmConnectionState.ENDED, () -> {
      end = peer.established().end();
      end.disconnect();
      peer.settle();
    });
    ways.put(RdmConnectionState.CLOSED, () -> {
      end = peer.established().end();
      end.close();
      peer.settle();
    });
  }

  @Test
  void theDocsHaveTheTableOfTheCode() throws Exception {
    Map<String, List<String>> table = new TreeMap<>();
    Matcher row = Pattern.compile("^\\| ([A-Z_]+)((?: \\| [a-z]+){8})$", Pattern.MULTILINE).matcher(Files.readString(PAGE));
    while (row.find()) {
      table.put(row.group(1), List.of(row.group(2).substring(3).split(" \\| ")));
    }
    Map<String, List<String>> code = new TreeMap<>();
    for (RdmConnectionState state : EnumSet.complementOf(EnumSet.of(RdmConnectionState.NEW))) {
      code.put(state.name(), Stream.of(MessageType.values()).map(type -> state.on(type).name().toLowerCase(Locale.ROOT)).toList());
    }
    assertEquals(code, table);
  }

  @TestFactory
  List<DynamicTest> eachMessageInEachState() {
    List<DynamicTest> all = new ArrayList<>();
    for (RdmConnectionState state : EnumSet.complementOf(EnumSet.of(RdmConnectionState.NEW))) {
      for (MessageType type : MessageType.values()) {
        all.add(DynamicTest.dynamicTest(type + " in " + state, () -> tried(state, type)));
      }
    }
    return all;
  }

  private void tried(RdmConnectionState state, MessageType type) {
    FakeFabric fabric = new FakeFabric();
    node = new Node(fabric);
    honest = new Node(fabric);
    node.listen(AT);
    honestEnd = honest.connect(AT, 10_000);
    Node.until(() -> node.connected.size() == 1, node, honest);
    peer = new RawPeer(node, AT);
    ways.get(state).run();
    RdmConnection connection = Node.connection(end);
    assertEquals(state, connection.state, "the way into the state");
    peer.take();
    // A REQ can only name the connection that it requested; otherwise it is a new request.
    node.accepting = false;
    peer.send(type);
    List<MessageType> answers = peer.take();
    Reaction reaction = state.on(type);
    assertEquals(switch (reaction) {
      case ACKNOWLEDGE -> List.of(MessageType.RTU);
      case ESTABLISH -> type == MessageType.REP ? List.of(MessageType.RTU) : List.of();
      case REPEAT -> List.of(MessageType.REP);
      case RESET -> List.of(MessageType.RESET);
      // A side without the peer's id cannot send a DREQ.
      case VIOLATION -> state == RdmConnectionState.REQ_SENT ? List.of() : List.of(MessageType.DREQ);
      default -> List.of();
    }, answers);
    assertEquals(switch (reaction) {
      case ESTABLISH -> RdmConnectionState.ESTABLISHED;
      case DRAIN -> RdmConnectionState.DRAINING;
      case END, VIOLATION -> RdmConnectionState.ENDED;
      default -> state;
    }, connection.state);
    boolean message = type == MessageType.DATA;
    boolean handedOut = message && (reaction == Reaction.DELIVER || reaction == Reaction.ESTABLISH);
    assertEquals(handedOut ? 1 : 0, node.numbers.size(), "messages");
    assertEquals(reaction == Reaction.VIOLATION, connection.failure != null && connection.failure.getMessage().contains("not "
      + "allowed in state"));
    assertEquals(Node.SLOTS, fabric.endpoints.get(AT).posted());
    if (reaction == Reaction.DRAIN) {
      Node.pass(6_000, node, honest);
      assertEquals(RdmConnectionState.ENDED, connection.state);
    }
    assertEquals(0, honest.send(honestEnd, 7));
    Node.until(() -> node.numbers.size() == (handedOut ? 2 : 1), node, honest);
    assertTrue(honest.disconnected.isEmpty());
  }
}
