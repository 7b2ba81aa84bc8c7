package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Info;
import io.github.vertxrdma.commands.Ping;
import io.github.vertxrdma.commands.RdmaCommand;
import io.github.vertxrdma.commands.Stat;
import java.util.stream.Stream;

final class Line {
  private Line() {
  }

  static RdmaCommand of(String name, String... arguments) {
    return Commands.parse(Stream.concat(Stream.of(name), Stream.of(arguments)).toArray(String[]::new));
  }

  static Info info(String... arguments) {
    return (Info) of("info", arguments);
  }

  static Ping ping(String... arguments) {
    return (Ping) of("ping", arguments);
  }

  static Stat stat(String... arguments) {
    return (Stat) of("stat", arguments);
  }
}
