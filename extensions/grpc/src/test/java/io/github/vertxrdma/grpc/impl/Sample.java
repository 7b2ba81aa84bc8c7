package io.github.vertxrdma.grpc.impl;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Frames of each kind, of the present version. */
record Sample(String name, CallFrame frame) {
  static List<Sample> all() {
    MultiMap metadata = MultiMap.caseInsensitiveMultiMap().add("key", "value").add("key", "värde");
    CallFrame.Head head = new CallFrame.Head(1, true, metadata);
    CallFrame.Head plain = new CallFrame.Head(0, false, MultiMap.caseInsensitiveMultiMap());
    CallFrame.Body body = new CallFrame.Body(Buffer.buffer("message"), false);
    return List.of(
      new Sample("settings", new CallFrame.Settings(CallLink.VERSIONS, 4 << 20, 8 << 10, 1000, 16)),
      new Sample("call-whole", new CallFrame.Call(1, 0, "a.Service/Method", plain, body, true)),
      new Sample("call-begins", new CallFrame.Call(Integer.MAX_VALUE, 1_000_000, "a.Service/Method", head, null, false)),
      new Sample("data", new CallFrame.Data(2, null, body, false)),
      new Sample("data-compressed", new CallFrame.Data(2, head, new CallFrame.Body(Buffer.buffer("not gzip"), true), false)),
      new Sample("data-end", new CallFrame.Data(2, null, null, true)),
      new Sample("status", new CallFrame.Status(3, null, 0, "", MultiMap.caseInsensitiveMultiMap(), body)),
      new Sample("status-trailers", new CallFrame.Status(3, head, 13, "went wrong", metadata, null)),
      new Sample("cancel", new CallFrame.Cancel(4, 1)),
      new Sample("credit", new CallFrame.Credit(5, 8)),
      new Sample("goaway", new CallFrame.GoAway(6, "closing")));
  }
}
