package io.github.vertxrdma.grpc.impl;

import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks frames between honest nodes against the protocol, which is written here a second time. Side 0 is the client, side 1 the server.
 */
final class CallMonitor {
  private static final int CLIENT = 0;
  private static final int SERVER = 1;

  private final Consumer<String> violated;
  private final Map<Integer, Call> calls = new HashMap<>();
  private final CallFrame.Settings[] settings = new CallFrame.Settings[2];
  private final boolean[] greeted = new boolean[2];
  private int last;
  private int under;

  static final class Call {
    private final long[] sent = new long[2];
    /** Messages that each side may have sent by now. */
    private final long[] granted = new long[2];
    private final long[] heard = new long[2];
    private final long[] given = new long[2];
    /** Messages that each application has received. */
    final long[] taken = new long[2];
    private final boolean[] over = new boolean[2];
    private boolean clientEnded;
    private boolean serverBegan;
    /** True once the client has the status. */
    private boolean answered;
    private boolean counted = true;
  }

  CallMonitor(Consumer<String> violated) {
    this.violated = violated;
  }

  private void check(boolean holds, String what, CallFrame frame) {
    if (!holds) {
      violated.accept(what + ": " + frame);
    }
  }

  private static boolean hasBody(CallFrame frame) {
    return frame instanceof CallFrame.Call call && call.body() != null || frame instanceof CallFrame.Data data && data.body() != null
      || frame instanceof CallFrame.Status status && status.body() != null;
  }

  /** @return the call that it begins, otherwise null */
  Call written(int by, Buffer bytes) {
    CallFrame frame = new FrameReader(Integer.MAX_VALUE).frame(bytes, false);
    check((settings[by] != null) == (frame.type() != FrameType.SETTINGS), "the first frame of a side greets, and no other", frame);
    Call begun = null;
    Call call = calls.get(frame.call());
    switch (frame) {
      case CallFrame.Settings mine -> {
        settings[by] = mine;
        return null;
      }
      case CallFrame.GoAway away -> {
        return null;
      }
      case CallFrame.Call first -> {
        check(by == CLIENT && greeted[CLIENT], "a call before the greeting, or of a server", frame);
        check(first.call() > last, "a number that was used", frame);
        last = first.call();
        call = new Call();
        call.granted[CLIENT] = settings[SERVER].window();
        call.granted[SERVER] = settings[CLIENT].window();
        calls.put(last, call);
        check(++under <= settings[SERVER].maxCalls(), "more calls than the server takes", frame);
        call.clientEnded = first.end();
        begun = call;
      }
      case CallFrame.Data data -> {
        // The client may not have read yet that the call has ended, or earlier frames.
        check(call != null && (!call.over[by] || call.answered) && !(by == CLIENT && call.clientEnded), "a message after the end", frame);
        call.clientEnded |= data.end();
        check((data.head() != null) == (by == SERVER && !call.serverBegan), "metadata where there are none, or none where there are",
          frame);
        call.serverBegan |= data.head() != null;
      }
      case CallFrame.Status status -> {
        check(by == SERVER && call != null && !call.over[SERVER], "a call that ends twice", frame);
        call.over[SERVER] = true;
      }
      case CallFrame.Cancel cancel -> {
        check(call != null && !call.over[by], "a call that ends twice", frame);
        over(call, by);
      }
      case CallFrame.Credit credit -> {
        check(call != null && !call.over[by], "credit after the end", frame);
        call.given[by] += credit.messages();
        check(call.given[by] <= call.heard[by], "credit for messages that have not come", frame);
      }
    }
    if (hasBody(frame)) {
      check(++call.sent[by] <= call.granted[by], "a message without credit", frame);
    }
    return begun;
  }

  private void over(Call call, int at) {
    call.over[at] = true;
    if (at == CLIENT && call.counted) {
      call.counted = false;
      under--;
    }
  }

  /** @return its call, otherwise null */
  Call arriving(int at, Buffer bytes) {
    CallFrame frame = new FrameReader(Integer.MAX_VALUE).frame(bytes, false);
    greeted[at] |= frame.type() == FrameType.SETTINGS;
    Call call = calls.get(frame.call());
    switch (frame) {
      case CallFrame.Credit credit -> call.granted[at] += credit.messages();
      case CallFrame.Status status -> {
        call.answered |= !call.over[CLIENT];
        over(call, CLIENT);
      }
      case CallFrame.Cancel cancel -> over(call, at);
      case CallFrame.GoAway away -> calls.forEach((number, other) -> {
        if (at == CLIENT && number > away.last()) {
          over(other, CLIENT);
        }
      });
      default -> {
      }
    }
    if (hasBody(frame)) {
      call.heard[at]++;
    }
    return call;
  }

  void holds(int at, Call call) {
    int window = settings[at].window();
    if (!call.over[at] && call.heard[at] - call.taken[at] > window) {
      violated.accept("a reader holds " + (call.heard[at] - call.taken[at]) + " messages, where its window is " + window);
    }
  }
}
