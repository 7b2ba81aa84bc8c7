package io.github.vertxrdma.grpc.impl;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.SplittableRandom;

/** A peer that sends random frames, some of them valid. */
final class CallLiar {
  private static final String[] PATHS = {"a.Service/Echo", "a.Service/Chat", "a.Service/Many", "a.Service/Slow", "a.Service/Never", "",
    "/"};

  private final SimulatedConnection.End end;
  private final SplittableRandom random;
  private int last = 1;

  CallLiar(SimulatedConnection.End end, SplittableRandom random) {
    this.end = end;
    this.random = random;
    end.connection.handler(this::heard);
    end.connection.closeHandler(v -> {});
    if (random.nextInt(8) > 0) {
      say(new CallFrame.Settings(CallLink.VERSIONS, 1 << (4 + random.nextInt(16)), 8192, random.nextInt(6), 1 + random.nextInt(4)));
    }
  }

  private void heard(Buffer bytes) {
    CallFrame frame = new FrameReader(Integer.MAX_VALUE).frame(bytes, false);
    if (frame instanceof CallFrame.Call call) {
      last = call.call();
      if (random.nextBoolean()) {
        say(random.nextInt(3) == 0 ? new CallFrame.Data(last, head(), random.nextBoolean() ? body() : null, false)
          : new CallFrame.Status(last, random.nextBoolean() ? head() : null, random.nextInt(18), "", null,
            random.nextInt(4) > 0 ? body() : null));
      }
    }
  }

  void lie() {
    Buffer bytes = new CallFrameWriter().bytes(any());
    if (random.nextInt(12) == 0) {
      bytes.setByte(random.nextInt(bytes.length()), (byte) random.nextInt());
    } else if (random.nextInt(20) == 0) {
      bytes = bytes.slice(0, random.nextInt(bytes.length()));
    }
    end.write(bytes);
  }

  private void say(CallFrame frame) {
    end.write(new CallFrameWriter().bytes(frame));
  }

  private int number() {
    return random.nextInt(6) == 0 ? 1 + random.nextInt(1 << random.nextInt(31)) : Math.max(1, last - random.nextInt(3) + random.nextInt(3));
  }

  private CallFrame.Head head() {
    return new CallFrame.Head(random.nextInt(8) == 0 ? random.nextInt(4) : 0, random.nextInt(8) == 0,
      random.nextInt(8) == 0 ? MultiMap.caseInsensitiveMultiMap().add("key", "v".repeat(random.nextInt(300))) : CallFrame.NO_METADATA);
  }

  private CallFrame.Body body() {
    return new CallFrame.Body(Buffer.buffer(new byte[random.nextInt(random.nextInt(8) == 0 ? 4000 : 30)]), random.nextInt(10) == 0);
  }

  private CallFrame any() {
    return switch (random.nextInt(16)) {
      case 0 -> new CallFrame.Settings(CallLink.VERSIONS, 1 << 20, 8192, random.nextInt(6), 1 + random.nextInt(4));
      case 1 -> new CallFrame.GoAway(random.nextInt(8), "");
      case 2, 3 -> new CallFrame.Credit(number(), random.nextInt(6) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(4));
      case 4, 5 -> new CallFrame.Cancel(number(), random.nextInt(20));
      case 6, 7 -> new CallFrame.Status(number(), random.nextBoolean() ? head() : null, random.nextInt(20), "words", null,
        random.nextBoolean() ? body() : null);
      case 8, 9, 10, 11 ->
        new CallFrame.Call(random.nextInt(4) == 0 ? number() : ++last, random.nextInt(3) == 0 ? random.nextInt(1_000_000) : 0,
          PATHS[random.nextInt(PATHS.length)], head(), random.nextBoolean() ? body() : null, random.nextBoolean());
      default ->
        new CallFrame.Data(number(), random.nextInt(4) == 0 ? head() : null, random.nextInt(4) > 0 ? body() : null, random.nextInt(4) == 0);
    };
  }
}
