package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.GrpcMessage;
import java.util.ArrayDeque;

/** Queue of received messages. The first message, the only one of most calls, needs no collection. */
final class MessageQueue {
  private GrpcMessage first;
  private ArrayDeque<GrpcMessage> others;
  private long bytes;

  boolean isEmpty() {
    return first == null;
  }

  int size() {
    return (first == null ? 0 : 1) + (others == null ? 0 : others.size());
  }

  long bytes() {
    return bytes;
  }

  static int length(GrpcMessage message) {
    return message instanceof RegisteredMessage registered ? registered.length : message.payload().length();
  }

  void add(GrpcMessage message) {
    bytes += length(message);
    if (first == null) {
      first = message;
      return;
    }
    if (others == null) {
      others = new ArrayDeque<>(4);
    }
    others.add(message);
  }

  GrpcMessage poll() {
    GrpcMessage next = first;
    first = others == null ? null : others.poll();
    if (next != null) {
      bytes -= length(next);
    }
    return next;
  }

  void clear() {
    first = null;
    others = null;
    bytes = 0;
  }
}
