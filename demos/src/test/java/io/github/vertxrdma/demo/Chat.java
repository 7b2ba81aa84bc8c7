package io.github.vertxrdma.demo;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Runs the server of a chat if there is an argument, otherwise a member that says hello and leaves with the first message it receives. */
public class Chat {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    if (arguments.length > 0) {
      serve(rdma).onComplete(server -> System.out.println("serves"), Throwable::printStackTrace);
    } else {
      rdma.connect("chat")
        .onSuccess(chat -> chat.handler(text -> {
          System.out.println(text);
          vertx.close();
        }))
        .compose(chat -> chat.write(Buffer.buffer("hello")))
        .onFailure(Throwable::printStackTrace);
    }
  }

  /** Sends each message to all members, except those that do not read. */
  static Future<RdmaServer> serve(Rdma rdma) {
    Set<RdmaConnection> members = ConcurrentHashMap.newKeySet();
    return rdma.createServer().connectHandler(member -> {
      members.add(member);
      member.handler(text -> members.stream().filter(each -> !each.writeQueueFull()).forEach(each -> each.write(text)))
        .endHandler(ended -> member.end())
        .closeHandler(closed -> members.remove(member));
    }).listen("chat");
  }
}
// end::all[]
