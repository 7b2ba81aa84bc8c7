package io.github.vertxrdma.grpc.impl;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Frames of each kind, of the present version. */
record Sample(String name, Frame frame) {
  static List<Sample> all() {
    MultiMap metadata = MultiMap.caseInsensitiveMultiMap().add("key", "value").add("key", "värde");
    Frame.Head head = new Frame.Head(1, true, metadata);
    Frame.Head plain = new Frame.Head(0, false, MultiMap.caseInsensitiveMultiMap());
    Frame.Body body = new Frame.Body(Buffer.buffer("message"), false);
    return List.of(
      new Sample("settings", new Frame.Settings(1, 1, 4 << 20, 8 << 10, 1000, 16)),
      new Sample("call-whole", new Frame.Call(1, 0, "a.Service/Method", plain, body, true)),
      new Sample("call-begins", new Frame.Call(Integer.MAX_VALUE, 1_000_000, "a.Service/Method", head, null, false)),
      new Sample("data", new Frame.Data(2, null, body, false)),
      new Sample("data-compressed", new Frame.Data(2, head, new Frame.Body(Buffer.buffer("not gzip"), true), false)),
      new Sample("data-end", new Frame.Data(2, null, null, true)),
      new Sample("status", new Frame.Status(3, null, 0, "", MultiMap.caseInsensitiveMultiMap(), body)),
      new Sample("status-trailers", new Frame.Status(3, head, 13, "went wrong", metadata, null)),
      new Sample("cancel", new Frame.Cancel(4, 1)),
      new Sample("credit", new Frame.Credit(5, 8)),
      new Sample("goaway", new Frame.GoAway(6, "closing")));
  }
}
