package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Promise;

/** A connection and the number of its unexpected messages. Guarded by the lock of {@link RdmaTaggedImpl}, except pause(). */
final class Source {
  final RdmaConnection connection;
  final Promise<Void> closedPromise;
  private final int most;
  private final int mostBytes;
  private int waiting;
  private long bytes;
  private boolean full;
  private Throwable end;
  private boolean closed;
  private boolean paused;

  Source(RdmaConnection connection, Promise<Void> closedPromise, int maxUnexpected, int maxUnexpectedBytes) {
    this.connection = connection;
    this.closedPromise = closedPromise;
    most = maxUnexpected;
    mostBytes = maxUnexpectedBytes;
  }

  /** Adds a message. @return true if the connection has to pause */
  boolean keep(int length) {
    waiting++;
    bytes += length;
    boolean before = full;
    full |= waiting >= most || bytes >= mostBytes;
    return full && !before;
  }

  /** Removes a message. @return true if the connection may resume */
  boolean release(int length) {
    waiting--;
    bytes -= length;
    boolean before = full;
    full &= waiting > most / 2 || bytes > mostBytes / 2;
    return before && !full;
  }

  boolean isFull() {
    return full;
  }

  String bound() {
    return waiting + " messages of " + bytes + " bytes";
  }

  void end(Throwable cause) {
    if (end == null) {
      end = cause;
    }
  }

  void close() {
    closed = true;
  }

  boolean isFinished() {
    return closed && end != null;
  }

  boolean hasLeftovers() {
    return closed && waiting > 0;
  }

  Throwable end() {
    return end;
  }

  void pause(boolean held) {
    if (paused != held) {
      paused = held;
      if (held) {
        connection.pause();
      } else {
        connection.resume();
      }
    }
  }
}
