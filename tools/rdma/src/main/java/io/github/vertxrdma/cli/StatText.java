package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Printable;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.statistics.AdapterCounter;
import io.github.vertxrdma.statistics.AdapterStatistics;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.EndedNodes;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.PeerNode;
import io.github.vertxrdma.statistics.PeerWay;
import io.github.vertxrdma.statistics.RegionStatistics;
import io.github.vertxrdma.statistics.Traffic;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Formats a node's statistics. Rates are differences of two readings. */
final class StatText {
  private final NodeStatistics before;
  private final NodeStatistics now;
  private final int width;
  private final StringBuilder text = new StringBuilder();

  private StatText(NodeStatistics before, NodeStatistics now, int width) {
    this.before = before;
    this.now = now;
    this.width = width;
  }

  static String of(NodeStatistics before, NodeStatistics now, int width) {
    StatText stat = new StatText(before, now, width);
    stat.heading();
    stat.devices();
    stat.adapters();
    stat.connections();
    stat.ways();
    stat.regions();
    stat.errors();
    return stat.text.toString();
  }

  private void heading() {
    text.append("node ").append(Printable.of(now.name())).append(now.name().isEmpty() ? "" : "  ")
      .append(Printable.of(now.nodeId())).append("  version ").append(Printable.of(now.version())).append("  pid ").append(now.pid())
      .append("  directory ").append(Printable.of(now.directory())).append(", ")
      .append(now.members().size()).append(" nodes  ")
      .append(Instant.ofEpochMilli(now.timeMillis()).atZone(ZoneId.systemDefault()).toLocalTime().truncatedTo(ChronoUnit.SECONDS))
      .append("\nservices ").append(list(now.services(), "none"))
      .append("  connects failed ").append(now.connectsFailed()).append("  refused ").append(now.refused()).append(refusals()).append('\n');
    peers();
    text.append('\n');
  }

  private String refusals() {
    List<String> reasons = now.refusals().stream().filter(each -> each.count() > 0).map(each -> each.reason() + ' ' + each.count())
      .toList();
    return reasons.isEmpty() ? "" : " (" + list(reasons, "") + ')';
  }

  private void peers() {
    EndedNodes ended = now.ended();
    if (ended.orderly() + ended.crashed() + ended.unreachable() > 0) {
      text.append("nodes that ended in order ").append(ended.orderly()).append("  crashed ").append(ended.crashed())
        .append("  became unreachable ").append(ended.unreachable()).append('\n');
    }
    Map<String, Long> others = now.peers().stream().map(PeerNode::version).filter(version -> !version.equals(now.version()))
      .collect(Collectors.groupingBy(version -> version.isEmpty() ? "unknown" : version, TreeMap::new, Collectors.counting()));
    others.forEach((version, count) -> text.append(count).append(count == 1 ? " node has" : " nodes have").append(" version ")
      .append(Printable.of(version)).append('\n'));
  }

  private Optional<PeerNode> known(String id) {
    return now.peers().stream().filter(peer -> peer.nodeId().equals(id)).findFirst();
  }

  /** Returns the name and the start of the id of a node; the id alone if the name is unknown. */
  private String words(String id) {
    return NodeName.words(id.equals(now.nodeId()) ? now.name() : known(id).map(PeerNode::name).orElse(""), id);
  }

  /** Returns {@link #words}, with the version if it differs from this node's. */
  private String peer(String id) {
    String version = known(id).map(PeerNode::version).orElse("");
    return words(id) + (version.isEmpty() || version.equals(now.version()) ? "" : ", version " + version);
  }

  private void devices() {
    Table table = new Table("DEVICE", "LOOP", "CONNECTIONS", "LOST", "RETRIES", "OUT/S", "IN/S", "SENT", "RECEIVED", "READ", "WRITTEN",
      "ATOMICS", "SLOTS SEND", "RECEIVE", "PARTS", "REGISTERED");
    for (DeviceStatistics device : now.devices()) {
      Traffic traffic = device.traffic();
      table.row(device.device(), device.loop().replaceFirst(".*-(\\d+)$", "$1"), device.connectionCount(), device.lost(),
        device.retries(), rate(device, Traffic::messagesSent), rate(device, Traffic::messagesReceived),
        Sizes.format(traffic.bytesSent()), Sizes.format(traffic.bytesReceived()), Sizes.format(traffic.bytesRead()),
        Sizes.format(traffic.bytesWritten()), traffic.atomics(), device.sendSlotsUsed() + "/" + device.sendSlots(),
        device.receiveSlotsUsed() + "/" + device.receiveSlots(), device.partSlotsUsed() + "/" + device.partSlots(),
        Sizes.format(device.registeredBytes()));
    }
    text.append(table.text(width));
  }

  private String rate(DeviceStatistics device, ToLongFunction<Traffic> count) {
    long more = count.applyAsLong(device.traffic()) - count.applyAsLong(before.same(device).orElse(device).traffic());
    long millis = now.timeMillis() - before.timeMillis();
    return millis <= 0 ? "-" : Long.toString(Math.round(more * 1000.0 / millis));
  }

  private void adapters() {
    Table table = new Table("ADAPTER", "COUNTER", "VALUE");
    boolean any = false;
    for (AdapterStatistics adapter : now.adapters()) {
      for (AdapterCounter counter : adapter.counters()) {
        if (counter.value() != 0) {
          any = true;
          table.row(adapter.device(), counter.name(), Long.toUnsignedString(counter.value()));
        }
      }
    }
    text.append(any ? "\n" + table.text(width) : "");
  }

  private void connections() {
    Table table = new Table("PEER", "OVER", "FOR", "", "MESSAGES OUT", "IN", "BYTES OUT", "IN", "CREDITS", "WAITING", "IN FLIGHT");
    int more = 0;
    boolean any = false;
    for (DeviceStatistics device : now.devices()) {
      more += device.connectionCount() - device.connections().size();
      for (ConnectionStatistics c : device.connections()) {
        Traffic traffic = c.traffic();
        any = true;
        table.row(c.peer().isEmpty() ? c.address() : peer(c.peer()), device.device(), c.service(),
          c.open() ? c.outgoing() ? "out" : "in" : "not open", traffic.messagesSent(), traffic.messagesReceived(),
          Sizes.format(traffic.bytesSent()), Sizes.format(traffic.bytesReceived()), c.dataCredits() + "+" + c.controlCredits(),
          Sizes.format(c.pendingBytes()), (long) c.sendsInFlight() + c.transfers() + c.unreadParts());
      }
    }
    text.append('\n').append(any ? table.text(width) : more == 0 ? "no connections\n" : "");
    if (more > 0) {
      text.append("and ").append(more).append(" more connections\n");
    }
  }

  private void ways() {
    if (!now.ways().isEmpty()) {
      Table table = new Table("BUS AND STREAMS TO", "AT", "OVER", "REASON");
      for (PeerWay way : now.ways()) {
        table.row(way.nodeId().isEmpty() ? "several nodes" : NodeName.words(way.name(), way.nodeId()), way.address(), way.way(),
          way.reason());
      }
      text.append('\n').append(table.text(width));
    }
    List<String> counts = now.tcpConnections().stream().filter(each -> each.count() > 0).map(each -> each.reason() + ' ' + each.count())
      .toList();
    if (!counts.isEmpty()) {
      text.append("connections by TCP: ").append(list(counts, "")).append('\n');
    }
  }

  private void regions() {
    if (!now.regions().isEmpty()) {
      Table table = new Table("REGION", "SIZE", "HELD BY");
      for (RegionStatistics region : now.regions()) {
        table.row(region.name().isEmpty() ? "(no name)" : region.name(), Sizes.format(region.size()),
          list(region.holders().stream().map(this::words).toList(), "none"));
      }
      text.append('\n').append(table.text(width));
    }
  }

  private void errors() {
    if (!now.errors().isEmpty()) {
      text.append("\nlast errors\n");
      now.errors().forEach(error -> text.append("  ").append(Printable.of(error)).append('\n'));
    }
  }

  private static String list(List<String> words, String none) {
    return words.isEmpty() ? none : Printable.of(String.join(", ", words));
  }
}
