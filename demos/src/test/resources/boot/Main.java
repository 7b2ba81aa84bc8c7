package example;

import com.hazelcast.core.Hazelcast;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.context.ConfigurableApplicationContext;

/** An application of Spring Boot that prints its health, a meter, and what its end has not closed. */
@SpringBootApplication
public class Main {
  public static void main(String... arguments) {
    try (ConfigurableApplicationContext context = SpringApplication.run(Main.class, arguments)) {
      System.out.println("health " + context.getBean(HealthEndpoint.class).healthForPath("rdma").getStatus() + ", "
        + context.getBean(MeterRegistry.class).get("vertx.rdma.members").gauge().getId());
    }
    System.out.println("members after the end: " + Hazelcast.getAllHazelcastInstances().size());
  }
}
