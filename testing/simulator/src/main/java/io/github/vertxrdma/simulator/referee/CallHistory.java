package io.github.vertxrdma.simulator.referee;

import io.github.vertxrdma.simulator.referee.WordCall.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** Thread-safe record of the calls of all clients on one word of memory. With a file, the record survives a kill of the process. */
public final class CallHistory {
  private final Map<Integer, WordCall> calls = new ConcurrentHashMap<>();
  private final Map<Integer, Runnable> events = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final FileChannel file;

  public CallHistory() {
    file = null;
  }

  /** Creates a history that is also written to a new file, which {@link #read} reads. */
  public CallHistory(Path path) throws IOException {
    file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
  }

  /** Runs a task once, after the call with this number. Calls are numbered from 1. */
  public void when(int many, Runnable event) {
    events.put(many, event);
  }

  /**
   * Makes a call and records it.
   *
   * @param operation makes the call; if the call succeeds, passes the value found in the word to its argument, on any thread
   */
  public <R> R call(int client, Kind kind, long first, long second, Function<LongConsumer, R> operation) {
    int number = count.incrementAndGet();
    note(number, new WordCall(client, kind, first, second, System.nanoTime(), WordCall.NEVER, 0));
    R result = operation.apply(found -> {
      long now = System.nanoTime();
      WordCall call = calls.get(number);
      note(number, new WordCall(client, kind, first, second, call.called(), now, found));
    });
    Runnable event = events.remove(number);
    if (event != null) {
      event.run();
    }
    return result;
  }

  private void note(int number, WordCall call) {
    calls.put(number, call);
    if (file != null) {
      String line = number + " " + call.client() + " " + call.kind() + " " + call.first() + " " + call.second() + " " + call.called() + " "
        + call.returned() + " " + call.found() + "\n";
      try {
        file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  public List<WordCall> calls() {
    return List.copyOf(calls.values());
  }

  /** Reads a file. Ignores an incomplete last line, which a killed process may leave. */
  public static List<WordCall> read(Path path) throws IOException {
    String text = Files.readString(path);
    Map<String, WordCall> calls = new HashMap<>();
    text.substring(0, text.lastIndexOf('\n') + 1).lines().map(line -> line.split(" ")).forEach(word -> calls.put(word[0],
      new WordCall(Integer.parseInt(word[1]), Kind.valueOf(word[2]), Long.parseLong(word[3]), Long.parseLong(word[4]),
        Long.parseLong(word[5]),
        Long.parseLong(word[6]), Long.parseLong(word[7]))));
    return List.copyOf(calls.values());
  }
}
