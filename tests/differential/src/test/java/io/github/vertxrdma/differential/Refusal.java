package io.github.vertxrdma.differential;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;

/** Exception of the application, which its own codec sends as an answer. */
final class Refusal extends ReplyException {
  private static final long serialVersionUID = 1;
  private static final int CODE = 4711;

  Refusal(String reason) {
    super(ReplyFailure.RECIPIENT_FAILURE, CODE, reason);
  }

  static final class Codec implements MessageCodec<Refusal, Refusal> {
    @Override
    public void encodeToWire(Buffer buffer, Refusal refusal) {
      buffer.appendInt(refusal.getMessage().length()).appendString(refusal.getMessage());
    }

    @Override
    public Refusal decodeFromWire(int position, Buffer buffer) {
      int start = position + Integer.BYTES;
      return new Refusal(buffer.getString(start, start + buffer.getInt(position)));
    }

    @Override
    public Refusal transform(Refusal refusal) {
      return refusal;
    }

    @Override
    public String name() {
      return "refusal";
    }

    @Override
    public byte systemCodecID() {
      return -1;
    }
  }
}
