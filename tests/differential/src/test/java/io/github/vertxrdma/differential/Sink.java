package io.github.vertxrdma.differential;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** A row's received messages. Thread-safe. */
final class Sink {
  private final int row;
  private final Reader reader;
  private final byte[] frame;
  private final List<Integer> numbers = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final List<Runnable> paused = new ArrayList<>();
  private int filled;
  private int wrong;
  private boolean blocked;

  Sink(int row, int size, Reader reader) {
    this.row = row;
    this.reader = reader;
    this.frame = new byte[size];
  }

  /**
   * Called with a new connection, since a message does not span two.
   *
   * @param resume resumes what the caller has paused
   */
  synchronized void opened(Runnable resume) {
    filled = 0;
    paused.add(resume);
  }

  boolean isPaused() {
    return reader == Reader.PAUSED;
  }

  void resume() {
    List<Runnable> all;
    synchronized (this) {
      all = List.copyOf(paused);
    }
    all.forEach(Runnable::run);
  }

  void bytes(Buffer bytes) {
    for (int at = 0; at < bytes.length();) {
      int part = Math.min(bytes.length() - at, frame.length - filled);
      bytes.getBytes(at, at + part, frame, filled);
      at += part;
      filled += part;
      if (filled == frame.length) {
        filled = 0;
        received(frame);
      }
    }
  }

  void message(Buffer message) {
    received(message.getBytes());
  }

  private void received(byte[] bytes) {
    int number = Messages.check(bytes, row);
    synchronized (this) {
      wrong += number < 0 || bytes.length != frame.length ? 1 : 0;
      numbers.add(number < 0 ? -number - 1 : number);
    }
    if (reader == Reader.SLOW && number > 0) {
      try {
        Thread.sleep(blocked ? 5 : 300);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      blocked = true;
    }
  }

  synchronized void event(String event) {
    events.add(event);
  }

  synchronized JsonObject report() {
    return new JsonObject().put("received", new JsonArray(new ArrayList<>(numbers))).put("wrong", wrong).put("partial", filled)
      .put("events", new JsonArray(new ArrayList<>(events)));
  }
}
