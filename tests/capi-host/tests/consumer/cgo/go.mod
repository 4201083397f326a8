module consumer

go 1.18
