bind = "unix:/run/shop/gunicorn.sock"
preload_app = True  # the client and the verifier are made once, and work in each worker
workers = 2
worker_class = "gthread"
threads = 8  # calls release the GIL: several payments of one worker can wait for the service at the same time
timeout = 60  # more than a call's deadline (30 s unless set)
graceful_timeout = 35
