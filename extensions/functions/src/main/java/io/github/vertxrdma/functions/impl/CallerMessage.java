package io.github.vertxrdma.functions.impl;

import io.vertx.core.buffer.Buffer;

/** Message of a caller to its worker, except {@link Wire#CALL}. */
sealed interface CallerMessage {

  record Hello(long lease, long secret) implements CallerMessage {
  }

  record Cancel(long id) implements CallerMessage {
  }

  record Read(long id, long bytes) implements CallerMessage {
  }

  static Hello hello(Buffer ticket) {
    if (read(ticket) instanceof Hello hello) {
      return hello;
    }
    throw new IllegalArgumentException("the first message of a caller is not a valid ticket");
  }

  static CallerMessage read(Buffer message) {
    int length = message.length();
    int type = length == 0 ? 0 : message.getByte(0);
    if (type == Wire.HELLO && length == 17) {
      return new Hello(message.getLongLE(1), message.getLongLE(9));
    } else if (type == Wire.CANCEL && length == 9) {
      return new Cancel(message.getLongLE(1));
    } else if (type == Wire.READ && length == 17) {
      return new Read(message.getLongLE(1), message.getLongLE(9));
    }
    throw new IllegalArgumentException("a message of type " + type + " and " + length + " bytes that is unknown or not allowed here");
  }
}
