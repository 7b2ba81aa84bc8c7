package io.github.vertxrdma.cluster;

// tag::all[]
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

public class Hello {
  public static void main(String... arguments) {
    Vertx.clusteredVertx(new VertxOptions()).onSuccess(vertx -> {
      if (arguments.length > 0) {
        vertx.eventBus().<String>consumer("hello", message -> message.reply("hello " + message.body()))
          .completion().onSuccess(registered -> System.out.println("serves"));
      } else {
        vertx.eventBus().request("hello", "world")
          .onComplete(reply -> System.out.println(reply.body()), Throwable::printStackTrace)
          .eventually(vertx::close);
      }
    });
  }
}
// end::all[]
