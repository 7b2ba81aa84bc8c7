package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.buffer.Buffer;

sealed interface WorkerMessage {

  /** @param failure null if the call succeeded @param payload the result, or the text of a failure */
  record Result(long id, Reason failure, long parts, Buffer payload) implements WorkerMessage {

    static Result read(Buffer frame, int at) {
      int length = frame.length() - at - Wire.RESULT_HEADER;
      if (length < 0 || frame.getIntLE(at + 12) != length) {
        throw cut("a result", frame);
      }
      int status = frame.getIntLE(at + 8);
      long parts = frame.getLongLE(at + 24);
      if (parts < 0) {
        throw cut("a result of " + parts + " parts, a message", frame);
      }
      return new Result(frame.getLongLE(at), status == 0 ? null : Wire.reason(status - 1), parts,
        frame.getBuffer(at + Wire.RESULT_HEADER, frame.length()));
    }
  }

  record Refused(long id, Reason reason, String words) implements WorkerMessage {
  }

  record Ended(Reason reason, String words) implements WorkerMessage {
  }

  record Part(long id, Buffer part) implements WorkerMessage {
  }

  record Mode(WorkerMode mode) implements WorkerMessage {
  }

  static WorkerMessage read(Buffer message) {
    int length = message.length();
    int type = length == 0 ? 0 : message.getByte(0);
    if (type == Wire.RESULT) {
      return Result.read(message, 1);
    } else if (type == Wire.REFUSED && length >= 10) {
      return new Refused(message.getLongLE(1), Wire.reason(message.getByte(9)), Wire.words(message, 10));
    } else if (type == Wire.ENDED && length >= 2) {
      return new Ended(Wire.reason(message.getByte(1)), Wire.words(message, 2));
    } else if (type == Wire.PART && length >= 9) {
      return new Part(message.getLongLE(1), message.slice(9, length));
    } else if (type == Wire.MODE && length == 2 && message.getUnsignedByte(1) < WorkerMode.values().length) {
      return new Mode(WorkerMode.values()[message.getByte(1)]);
    }
    throw cut("a message of type " + type, message);
  }

  private static IllegalArgumentException cut(String what, Buffer message) {
    return new IllegalArgumentException(what + " of " + message.length() + " bytes that is invalid");
  }
}
