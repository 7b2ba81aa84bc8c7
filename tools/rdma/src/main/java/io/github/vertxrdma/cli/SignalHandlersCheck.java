package io.github.vertxrdma.cli;

import io.github.vertxrdma.provider.ffi.SignalGuard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * Checks whether a loaded library has replaced signal handlers that HotSpot's null checks need. Compares the handlers at its creation with
 * those at its run.
 */
final class SignalHandlersCheck implements Check {
  private static final Map<String, Integer> SIGNALS = Map.of("SIGILL", 4, "SIGBUS", 7, "SIGFPE", 8, "SIGSEGV", 11);

  private final IntToLongFunction handler;
  private final Map<String, Long> before;

  SignalHandlersCheck() {
    this(System.getProperty("os.name").equals("Linux") ? SignalGuard::handler : signal -> 0);
  }

  SignalHandlersCheck(IntToLongFunction handler) {
    this.handler = handler;
    this.before = now();
  }

  @Override
  public List<Finding> run(Machine machine) {
    Map<String, Long> after = now();
    List<String> replaced = new ArrayList<>();
    before.forEach((name, address) -> {
      if (!address.equals(after.get(name))) {
        replaced.add(name);
      }
    });
    return List.of(replaced.isEmpty() ? Finding.ok("signal handlers", "still those of the JVM, after the libraries and devices above "
      + "were opened and closed")
      : Finding.failure("signal handlers", "a library replaced " + String.join(", ", replaced.stream().sorted().toList())
        + ", so the process ends at the next null pointer",
        "export LD_PRELOAD=" + System.getProperty("java.home") + "/lib/libjsig.so"));
  }

  private Map<String, Long> now() {
    Map<String, Long> handlers = new HashMap<>();
    SIGNALS.forEach((name, number) -> handlers.put(name, handler.applyAsLong(number)));
    return handlers;
  }
}
