package io.github.vertxrdma.cli;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.link.MessagePaths;

final class ProtocolText {
  private ProtocolText() {
  }

  static String of(Survey survey) {
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
}
