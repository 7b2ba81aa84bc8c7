package io.github.vertxrdma.cli;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.link.MessagePaths;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Selection;
import io.github.vertxrdma.provider.Waiting;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

final class InfoText {
  private final StringBuilder text = new StringBuilder();

  private InfoText() {
  }

  static String of(Survey survey, Map<String, Selection> selections) {
    InfoText info = new InfoText();
    info.overview(survey);
    info.choices(selections);
    info.fallbacks(survey);
    survey.providers().forEach(found -> found.devices().forEach(info::details));
    info.unavailable(survey);
    return info.text.toString();
  }

  static String protocol(Survey survey) {
    RdmaOptions options = new RdmaOptions();
    Table table = new Table("DEVICE", "INLINE", "EAGER", "RENDEZVOUS", "REFUSED");
    survey.providers().forEach(found -> found.devices().stream().filter(Survey.Tested::opens).forEach(device -> {
      MessagePaths paths = MessagePaths.of(device.capabilities(), device.limits(), options);
      table.row(device.name(), range(0, paths.inline()), range(paths.inline() + 1, paths.eager()),
        range(paths.eager() + 1, paths.largest()), "from " + (paths.largest() + 1L));
    }));
    return "messages of a connection, by size in bytes, with default options (buffers of " + Sizes.format(options.getBufferSize()) + ")\n\n"
      + table + "\n"
      + "inline      copied into the work request\n"
      + "eager       copied into registered memory and sent into a waiting receive\n"
      + "rendezvous  announced; the receiver fetches it by remote reads,\n"
      + "            or sent in parts of one receive each where peers have to wake each other\n";
  }

  private static String range(int from, int to) {
    return from > to ? "-" : from + "-" + to;
  }

  private void overview(Survey survey) {
    Table table = new Table("DEVICE", "PROVIDER", "ENDPOINT", "REACHES", "NOTIFIED WRITE", "ATOMICS", "SLEEPING");
    for (Survey.Found found : survey.providers()) {
      for (Survey.Tested tested : found.devices()) {
        Capabilities c = tested.capabilities();
        table.row(tested.name(), found.name(), tested.endpointType().name(), reach(tested),
          tested.opens() ? c.promises(Capabilities.Order.SEND_AFTER_WRITE) ? "one list" : "after delivery" : "does not open",
          c.processorAtomics() ? "processor" : c.atomics() ? "native" : "owner",
          c.waiting() == Waiting.NONE ? "timer" : words(c.waiting()));
      }
    }
    text.append(table);
  }

  private void choices(Map<String, Selection> selections) {
    selections.forEach((use, selection) -> {
      text.append("\nchosen for ").append(use).append(": ").append(selection.ranked().isEmpty() ? "nothing"
        : selection.ranked().stream().map(InfoText::withSpeed).collect(Collectors.joining(", then "))).append('\n');
      if (selection.ranked().size() > 1) {
        text.append("  by kind, then the address in the option host, then speed, then the address of the cluster, NUMA node and name\n");
      }
      selection.refused().forEach(refusal -> text.append("  not ").append(refusal).append('\n'));
    });
  }

  private static String withSpeed(Device device) {
    return device.name()
      + (device.speed() == 0 ? "" : " (" + BigDecimal.valueOf(device.speed(), 9).stripTrailingZeros().toPlainString() + " Gbit/s)");
  }

  private void fallbacks(Survey survey) {
    for (Survey.Found found : survey.providers()) {
      if (found.fallback() && !found.devices().isEmpty()) {
        text.append("\nused only if an option names it, or a peer has no other fabric (this machine has no adapter for ")
          .append(found.name()).append("): ")
          .append(found.devices().stream().map(Device::name).collect(Collectors.joining(", "))).append('\n');
      }
    }
  }

  private void details(Survey.Tested tested) {
    Capabilities c = tested.capabilities();
    Limits l = tested.limits();
    text.append('\n').append(tested.name()).append("  (fabric ").append(tested.fabric()).append(")\n");
    if (!tested.opens()) {
      line("does not open", tested.failure());
    }
    if (!tested.device().toString().equals(tested.name())) {
      line("device", tested.device().toString());
    }
    line("operations", list(c.operations()) + (c.immediateBits() == 0 ? "" : "; " + c.immediateBits() + "-bit immediates"
      + (c.immediateConsumesReceive() ? " that consume a receive" : "")));
    Collection<Operation> lost = new TreeSet<>(tested.device().capabilities().operations());
    lost.removeAll(c.operations());
    if (!lost.isEmpty()) {
      line("failed self-test", list(lost));
    }
    line("promised orders", list(c.orders()) + (c.deliveryComplete() ? "; writes can complete at delivery" : ""));
    line("completed send", switch (c.sendCompletion()) {
      case LOCAL -> "proves nothing about the peer";
      case REMOTE -> "acknowledged by the peer's adapter";
      case SHARED_MEMORY -> "is in memory of the peer";
    });
    line("keys", words(c.keyMode()) + ", " + l.keySize() + " bytes, addresses " + switch (c.addressBase()) {
      case VIRTUAL -> "virtual";
      case OFFSET -> "from the region's start";
    } + (c.pinned() ? ", memory is pinned" : ""));
    line("receives", c.sharedReceiveOnly() ? "always shared" : c.sharedReceive() ? "shared or per endpoint" : "per endpoint");
    tested.strategies().forEach(this::line);
    line("limits", "message " + Sizes.format(l.maxMessageSize()) + ", transfer " + Sizes.format(l.maxTransferSize())
      + ", region " + Sizes.format(l.maxRegionSize()) + ", inline " + Sizes.format(l.inlineSize()));
    line("", "queues: send " + l.sendDepth() + ", receive " + l.receiveDepth() + ", completion " + l.completionQueueDepth()
      + ", reads in flight " + l.readsInFlight() + ", scatter-gather " + l.scatterGather() + ", private data " + l.privateData() + " B");
  }

  private void unavailable(Survey survey) {
    boolean first = true;
    for (Survey.Found found : survey.providers()) {
      for (Discovery.Unavailable missing : found.unavailable()) {
        text.append(first ? "\nnot available\n" : "").append("  ")
          .append(found.name().equals(missing.what()) ? "" : found.name() + ": ").append(missing).append('\n');
        first = false;
      }
    }
  }

  private void line(String what, String value) {
    text.append("  ").append(what).repeat(' ', Math.max(1, 18 - what.length())).append(value).append('\n');
  }

  private static String reach(Device device) {
    return switch (device.reach()) {
      case PROCESS -> "this process";
      case HOST -> "this host";
      case NETWORK -> "any host";
    };
  }

  private static String list(Collection<? extends Enum<?>> values) {
    return values.isEmpty() ? "none" : values.stream().sorted().map(InfoText::words).collect(Collectors.joining(", "));
  }

  private static String words(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
