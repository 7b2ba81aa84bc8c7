package io.github.vertxrdma.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A command's options and operands. Options start with two dashes; a value follows as the next argument or after {@code =}. */
final class Arguments {
  private final Map<String, String> options = new HashMap<>();
  private final List<String> operands = new ArrayList<>();

  /**
   * @param flags options without a value
   * @param valued options with one
   * @throws UsageException for an option in neither set, or without its value
   */
  Arguments(List<String> arguments, Set<String> flags, Set<String> valued) {
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      if (!argument.startsWith("--")) {
        operands.add(argument);
      } else if (flags.contains(argument)) {
        options.put(argument, "");
      } else if (valued.contains(name)) {
        if (equals < 0 && ++i == arguments.size()) {
          throw new UsageException(name + " needs a value");
        }
        options.put(name, equals < 0 ? arguments.get(i) : argument.substring(equals + 1));
      } else {
        throw new UsageException("unknown option '" + name + "'");
      }
    }
  }

  boolean has(String option) {
    return options.containsKey(option);
  }

  String value(String option, String fallback) {
    return options.getOrDefault(option, fallback);
  }

  /** @throws UsageException if it is not a whole number from the least to the most */
  int number(String option, int fallback, int least, int most) {
    String value = options.get(option);
    if (value == null) {
      return fallback;
    }
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException(option + " " + value + ": a whole number from " + least + " to " + most);
  }

  /** @throws UsageException if there are more than the command takes */
  List<String> operands(int atMost) {
    if (operands.size() > atMost) {
      throw new UsageException("'" + operands.get(atMost) + "' is one argument too many");
    }
    return operands;
  }
}
