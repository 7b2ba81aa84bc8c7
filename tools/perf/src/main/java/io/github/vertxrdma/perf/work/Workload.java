package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;

/** A way of working with two ends. One object is one end, used by one thread, which may block. */
interface Workload extends AutoCloseable {

  /** Becomes the server. @return what the client has to know */
  JsonObject serve() throws Exception;

  /** Becomes the client. @param server what the server said */
  void connect(JsonObject server) throws Exception;

  /** On the client: works for about so long. @param size bytes of an operation */
  Sample run(int size, long nanos) throws Exception;

  @Override
  void close() throws Exception;
}
