package io.github.vertxrdma.impl.tagged;

import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Promise;

/** A connection that tagged messages come by, and how many of them wait. Guarded by whoever matches, except where it says otherwise. */
final class Source {
  final RdmaConnection connection;
  /** Completed when it is over. */
  final Promise<Void> over;
  private final int most;
  private final int mostBytes;
  private int waiting;
  private long bytes;
  private boolean full;
  /** The reason why nothing more comes; null while something may. */
  private Throwable end;
  private boolean closed;
  /** On the connection's context. */
  private boolean paused;

  Source(RdmaConnection connection, Promise<Void> over, int maxUnexpected, int maxUnexpectedBytes) {
    this.connection = connection;
    this.over = over;
    most = maxUnexpected;
    mostBytes = maxUnexpectedBytes;
  }

  /** A message of it has to wait. @return true if it is to be paused for that */
  boolean keep(int length) {
    waiting++;
    bytes += length;
    boolean before = full;
    full |= waiting >= most || bytes >= mostBytes;
    return full && !before;
  }

  /** One that waited was received. @return true if it is to be resumed for that */
  boolean release(int length) {
    waiting--;
    bytes -= length;
    boolean before = full;
    full &= waiting > most / 2 || bytes > mostBytes / 2;
    return before && !full;
  }

  /** Tells that what it has sent beyond what waits is held back. */
  boolean isFull() {
    return full;
  }

  /** The bound that it reached, in words. */
  String bound() {
    return waiting + " messages of " + bytes + " bytes";
  }

  /** Nothing more comes, for the first reason that is given. */
  void end(Throwable cause) {
    if (end == null) {
      end = cause;
    }
  }

  /** The connection is closed; messages of it may still be on their way to their reader. */
  void close() {
    closed = true;
  }

  /** It is closed, and all that it sent is here. */
  boolean isOver() {
    return closed && end != null;
  }

  /** Tells whether messages of it wait though it is closed. */
  boolean leavesBehind() {
    return closed && waiting > 0;
  }

  Throwable end() {
    return end;
  }

  /** Pauses or resumes the connection, on its context. */
  void flow(boolean held) {
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
